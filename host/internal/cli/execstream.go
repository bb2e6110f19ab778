package cli

import (
	"context"
	"errors"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// cut splits NAME=VALUE.
func cut(flag string) (name, value string, given bool) { return strings.Cut(flag, "=") }

// terminal makes a command one with a terminal, of the size of ours.
func (a *app) terminal(f execFlags, cmd *sandbox.Command) error {
	switch {
	case a.flags.json:
		return errors.New("-t and --json exclude each other: what a terminal shows isn't lines")
	case f.stdin && !isTerminal(a.world.Stdin):
		return errors.New("-t: stdin is not a terminal; leave out -t, or run this in a terminal")
	case !isTerminal(a.world.Stdout):
		return errors.New("-t: stdout is not a terminal; leave out -t, or run this in a terminal")
	}
	size := a.size()
	cmd.TTY = &size
	if kind := a.world.envOr("TERM", ""); kind != "" {
		cmd.Env = map[string]string{"TERM": kind}
	}
	return nil
}

// size is that of the terminal; 24 by 80 where it doesn't say.
func (a *app) size() sandbox.Size {
	cols, rows, err := term.GetSize(int(a.world.Stdout.Fd()))
	if err != nil || cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	return sandbox.Size{Rows: uint16(min(rows, 1<<16-1)), Cols: uint16(min(cols, 1<<16-1))}
}

// attached runs a command whose streams are ours. The terminal is as it was
// before when it returns, however that comes about.
func (a *app) attached(ctx context.Context, v *runs.Visit, cmd sandbox.Command, f execFlags, heard *heard) (sandbox.Exit, error) {
	stdout, stderr := a.streams()
	cmd.Stdout, cmd.Stderr = heard.writer(stdout), heard.writer(stderr)
	if f.stdin {
		cmd.Stdin = a.world.Stdin
	}
	x := runs.Exec{Command: cmd, Force: heard.again}
	if cmd.TTY != nil {
		cooked, err := a.raw(f)
		if err != nil {
			return sandbox.Exit{}, err
		}
		defer cooked()
		x.Started = func(p sandbox.Process) { a.follows(ctx, p, *cmd.TTY) }
	}
	return v.Exec(ctx, x)
}

// raw passes every key on to the command, until what it returns is called.
func (a *app) raw(f execFlags) (cooked func(), err error) {
	if !f.stdin {
		return func() {}, nil
	}
	fd := int(a.world.Stdin.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	a.inRaw.Store(true)
	return func() {
		_ = term.Restore(fd, old) // a terminal that has gone needs none
		a.inRaw.Store(false)
	}, nil
}

// follows keeps the command's terminal as large as ours, until ctx ends.
func (a *app) follows(ctx context.Context, p sandbox.Process, was sandbox.Size) {
	go func() {
		changed, stop := resized()
		defer stop()
		for {
			if now := a.size(); now != was {
				was = now
				_ = p.Resize(ctx, now) // one that has ended needs none
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
	}()
}

// lineWriter writes output as NDJSON: two streams, one line at a time.
type lineWriter struct {
	*app
	mu sync.Mutex
}

type lineStream struct {
	*lineWriter
	name string
}

func (l lineStream) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.line(outputLine{"output", l.name, p}); err != nil {
		return 0, err
	}
	return len(p), nil
}
