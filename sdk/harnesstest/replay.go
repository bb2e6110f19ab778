package harnesstest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Options tune the suite; the zero value is good.
type Options struct {
	// Exit ends each session; nil: exit code 0.
	Exit *harness.Exit
	// Decide answers an Ask; nil: everything is allowed.
	Decide func(*harness.Ask) *harness.Decision
	// Secrets must never show in argv, beside the prompt and the schema.
	Secrets []string
	// Slices is how many random slicings are tried; 0: 8.
	Slices int
	// Seed makes the random slicings; each seed gives others.
	Seed uint64
	// Timeout bounds one session; 0: 30 s.
	Timeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.Exit == nil {
		o.Exit = &harness.Exit{Known: true, Message: "exit code 0"}
	}
	if o.Decide == nil {
		o.Decide = func(*harness.Ask) *harness.Decision { return &harness.Decision{Allow: true} }
	}
	if o.Slices == 0 {
		o.Slices = 8
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	return o
}

// Replay gives output, the captured stdout of an agent, to sessions of the
// harness in different slices: whole, line by line, in random reads, twice; then
// with messages in between that must not matter. The events must be the same
// each time and in order. It returns the record of the first session.
func Replay(t T, open Opener, start harness.Start, output []byte, opts Options) *Record {
	t.Helper()
	o := opts.withDefaults()
	first := session(t, open, start, o, wholeReads, quiet, output)
	checkRecord(t, first, start, o)
	checkAcknowledged(t, first, int64(len(output)))

	again := func(name string, start harness.Start, o Options, read func() int, between func(*player) error) *Record {
		t.Helper()
		t := named{t, name}
		r := session(t, open, start, o, read, between, output)
		if d := difference(first.Payloads, r.Payloads); d != "" {
			t.Errorf("the same output gave other events: %s", d)
		}
		return r
	}
	second := again("second session", start, o, wholeReads, quiet)
	if a, b := fmt.Sprintf("%+v", *first.Result), fmt.Sprintf("%+v", *second.Result); a != b {
		t.Errorf("the same output gave another result: %s, then %s", a, b)
	}
	again("reads of one byte", start, o, func() int { return 1 }, quiet)
	for n := range o.Slices {
		random := rand.New(rand.NewPCG(o.Seed, uint64(n)))
		limit := 1 << (2 + random.IntN(14))
		again(fmt.Sprintf("random reads, seed %d/%d", o.Seed, n), start, o, func() int { return 1 + random.IntN(limit) }, quiet)
	}

	replayed := start
	replayed.Replay = true
	again("with Start.Replay", replayed, o, wholeReads, quiet)
	again("with stderr in between", start, o, oneByte, func(p *player) error {
		return p.send(&harness.Stderr{Data: []byte("warning: noise {\"a\":1}\n")})
	})
	denying, unanswered := o, o
	denying.Decide = func(*harness.Ask) *harness.Decision { return &harness.Decision{Reason: "denied by the suite"} }
	unanswered.Decide = func(*harness.Ask) *harness.Decision { return nil }
	again("with every request denied", start, denying, wholeReads, quiet)
	again("with no request answered", start, unanswered, wholeReads, quiet)
	for n := range o.Slices {
		random := rand.New(rand.NewPCG(o.Seed, uint64(n)))
		lines := max(1, bytes.Count(output, []byte("\n")))
		left := random.IntN(lines)
		again(fmt.Sprintf("with a cancel before line %d", left), start, o, oneByte, func(p *player) error {
			left--
			if left != -1 {
				return nil
			}
			return p.send(&harness.Cancel{})
		})
	}
	return first
}

func wholeReads() int { return 1 << 30 }
func oneByte() int    { return 1 }

func quiet(*player) error { return nil }

// session plays one session over output and fails the test if it can't.
func session(t T, open Opener, start harness.Start, o Options, read func() int, between func(*player) error, output []byte) *Record {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), o.Timeout)
	defer stop()
	record, err := play(ctx, open, start, o.Decide, func(p *player) error {
		if _, err := p.awaitLaunch(); err != nil {
			return err
		}
		for _, lines := range frame(output, read) {
			if err := between(p); err != nil {
				return err
			}
			if err := p.send(lines); err != nil {
				return err
			}
		}
		exit := *o.Exit
		return p.send(&exit)
	})
	if err != nil {
		t.Fatalf("play session: %v", err)
	}
	if record.Result == nil {
		t.Fatalf("play session: no Done came")
	}
	return record
}

// difference describes the first event that differs; empty: none does.
func difference(want, got [][]byte) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return fmt.Sprintf("%d events instead of %d; the first more is %.300s", len(got), len(want), got[i])
		case i >= len(got):
			return fmt.Sprintf("%d events instead of %d; the first missing is %.300s", len(got), len(want), want[i])
		case !bytes.Equal(want[i], got[i]):
			return fmt.Sprintf("event %d is %.300s, was %.300s", i, got[i], want[i])
		}
	}
	return ""
}
