package main

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// These make actions out of arguments; nil means that the argument makes no sense.

// edits wants "PATH: CONTENT"; the colon may be the last character.
func edits(ask, add bool) func(string) action {
	return func(arg string) action {
		name, content, ok := strings.Cut(arg+" ", ": ")
		if !ok || name == "" {
			return nil
		}
		content = unescape(strings.TrimSuffix(content, " "))
		return func(ctx context.Context, t *turn) error { return t.edit(ctx, ask, add, name, content+"\n") }
	}
}

func runs(ask bool) func(string) action {
	return func(arg string) action {
		return func(ctx context.Context, t *turn) error { return t.run(ctx, ask, arg) }
	}
}

func children(ignoreTerm bool) func(string) action {
	return func(arg string) action {
		name := cmp.Or(arg, "heartbeats.txt")
		return func(_ context.Context, t *turn) error { return t.child(name, ignoreTerm) }
	}
}

// numbers wants exactly count whole numbers, none negative.
func numbers(arg string, count int, do func(context.Context, *turn, []int) error) action {
	fields := strings.Fields(arg)
	if len(fields) != count {
		return nil
	}
	values := make([]int, count)
	for i, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 {
			return nil
		}
		values[i] = n
	}
	return func(ctx context.Context, t *turn) error { return do(ctx, t, values) }
}

func ends(reason stop) func(string) action {
	return func(string) action { return func(context.Context, *turn) error { return reason } }
}

func exits(arg string) action {
	return numbers(arg, 1, func(_ context.Context, _ *turn, n []int) error {
		os.Exit(n[0])
		return nil
	})
}

func fails(arg string) action {
	code, words, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(code)
	if err != nil {
		return nil
	}
	return func(context.Context, *turn) error { return &rpcError{n, words} }
}

func sleeps(arg string) action {
	d, err := time.ParseDuration(arg)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, _ *turn) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lines wants a size: bytes, or with KiB or MiB behind the number.
func lines(arg string) action {
	number, unit := strings.TrimSuffix(arg, "MiB"), 1<<20
	if number == arg {
		number, unit = strings.TrimSuffix(arg, "KiB"), 1<<10
	}
	if number == arg {
		unit = 1
	}
	return numbers(number, 1, func(_ context.Context, t *turn, n []int) error { t.long(n[0] * unit); return nil })
}
