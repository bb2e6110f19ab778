package harnesstest

import (
	"bytes"
	"encoding/json"
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
	// Raw says whether a RAW event of this kind may be, as the harness's docs list
	// them; nil: each may.
	Raw func(event json.RawMessage) bool
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
	plain := course{start: start, options: o, output: output, read: wholeReads}
	first := plain.session(t, open)
	checkRecord(t, first, start, o)
	checkAcknowledged(t, first, int64(len(output)))

	again := func(name string, c course) *Record {
		t.Helper()
		t := named{t, name}
		r := c.session(t, open)
		if d := difference(first.Payloads, r.Payloads); d != "" {
			t.Errorf("the same output gave other events: %s", d)
		}
		return r
	}
	second := again("second session", plain)
	if a, b := fmt.Sprintf("%+v", *first.Result), fmt.Sprintf("%+v", *second.Result); a != b {
		t.Errorf("the same output gave another result: %s, then %s", a, b)
	}
	again("reads of one byte", plain.inLines())
	for n := range o.Slices {
		random := rand.New(rand.NewPCG(o.Seed, uint64(n)))
		limit := 1 << (2 + random.IntN(14))
		sliced := plain
		sliced.read = func() int { return 1 + random.IntN(limit) }
		again(fmt.Sprintf("random reads, seed %d/%d", o.Seed, n), sliced)
	}

	replayed := plain
	replayed.start.Replay = true
	again("with Start.Replay", replayed)
	again("with stderr in between", plain.inLines().with(func(p *player) error {
		return p.send(&harness.Stderr{Data: []byte("warning: noise {\"a\":1}\n")})
	}))
	again("with every request allowed in lockstep", plain.decided(&harness.Decision{Allow: true}))
	again("with every request denied", plain.decided(&harness.Decision{Reason: "denied by the suite"}))
	again("with no request answered", plain.decided(nil))
	for n := range o.Slices {
		random := rand.New(rand.NewPCG(o.Seed, uint64(n)))
		line := random.IntN(max(1, bytes.Count(output, []byte("\n"))))
		again(fmt.Sprintf("with a cancel before line %d", line), plain.inLines().canceled(line))
	}
	return first
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
