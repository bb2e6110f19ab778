package main

import (
	"context"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

func TestConformance(t *testing.T) {
	start := harness.Start{Run: "run", Prompt: "hello", Workspace: harness.Workspace{Root: "/work", StateDir: "/state"}}
	output := []byte(`{"say":"hello"}
{"ask":"1","command":"uname"}
{"ran":"uname","output":"Linux"}
{"ask":"2","command":"date"}
{"say":"Then I leave that."}
{"done":true}
`)
	open := harnesstest.Pipe(t, asking{})
	r := harnesstest.Replay(t, open, start, output, harnesstest.Options{})
	if r.Result.Reason != harness.ReasonOK || len(r.Payloads) != 10 || len(r.Asks) != 2 {
		t.Errorf("result %+v, %d events, %d questions; want ok, 10 and 2", r.Result, len(r.Payloads), len(r.Asks))
	}
	harnesstest.Endings(t, open, start, harnesstest.Options{})
}

// The agent for real. It exits with 0 when it has failed, so only what it said
// tells a failure from a success.
func TestTheAgentIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		allow        bool
		said         string
		reason       harness.Reason
	}{
		{"says", "hello\nbye", false, "hello\nbye\n", harness.ReasonOK},
		{"runs what is allowed", "run echo ran\nbye", true, "bye\n", harness.ReasonOK},
		{"leaves what is denied", "run echo ran\nbye", false, "Then I leave that.\nbye\n", harness.ReasonOK},
		{"has a wrong key", "hello\nfail key\nbye", true, "hello\n", harness.ReasonBadKey},
		{"runs into a limit", "fail limit", true, "", harness.ReasonRateLimited},
		{"fails in a way of its own", "fail quota", true, "", harness.ReasonCrashed},
		{"crashes", "crash", true, "", harness.ReasonCrashed},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := play(t, harnesstest.Script{
				Start:  harness.Start{Run: "run", Prompt: c.prompt},
				Decide: func(a *harness.Ask) *harness.Decision { return &harness.Decision{Ask: a.ID, Allow: c.allow} },
			})
			events, err := out.Events()
			if err != nil {
				t.Fatal(err)
			}
			if said, _ := harnesstest.Said(events); said != c.said || out.Result.Reason != c.reason {
				t.Errorf("said %q, result %+v; want %q and %s", said, out.Result, c.said, c.reason)
			}
		})
	}
}

func TestACancelReachesAnAgentThatWaitsForItsAnswer(t *testing.T) {
	out := play(t, harnesstest.Script{
		Start:  harness.Start{Run: "run", Prompt: "run date"},
		Decide: func(*harness.Ask) *harness.Decision { return nil },
		Cancel: func(r *harnesstest.Record) bool { return len(r.Asks) > 0 },
	})
	if out.Result.Reason != harness.ReasonCanceled || out.Killed {
		t.Errorf("result %+v, killed %v; want a canceled one that ended by itself", out.Result, out.Killed)
	}
}

func play(t *testing.T, s harnesstest.Script) *harnesstest.Outcome {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	s.Open = harnesstest.Pipe(t, asking{})
	out, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
