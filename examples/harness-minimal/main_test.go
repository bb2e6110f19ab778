package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

func TestConformance(t *testing.T) {
	start := harness.Start{Run: "run", Prompt: "say hello", Workspace: harness.Workspace{Root: "/work", StateDir: "/state"}}
	output := []byte("hello\n{\"text\":\"from JSON\"}\n{\"other\":1}\n\xff\xfe\x00\nthe end, without a newline")
	r := harnesstest.Replay(t, harnesstest.Pipe(t, minimal{}), start, output, harnesstest.Options{})
	if r.Result.Reason != harness.ReasonOK || len(r.Payloads) != 7 {
		t.Errorf("result %+v, %d events; want ok and 7", r.Result, len(r.Payloads))
	}
	harnesstest.Endings(t, harnesstest.Pipe(t, minimal{}), start, harnesstest.Options{})
}

func TestTheBuiltPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandlot-harness-minimal")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as users get it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	open := harnesstest.Binary(t, path, nil, "TMPDIR="+t.TempDir())
	r := harnesstest.Replay(t, open, harness.Start{Run: "run", Prompt: "say hello"}, []byte("hello\nworld\n"), harnesstest.Options{Slices: 2})
	if len(r.Payloads) != 4 {
		t.Errorf("%d events, want 4", len(r.Payloads))
	}
}

// play runs the agent for real.
func play(t *testing.T, s harnesstest.Script, prompt ...string) *harnesstest.Outcome {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	s.Open = harnesstest.Pipe(t, minimal{})
	s.Start.Run, s.Start.Prompt = "run", strings.Join(prompt, "\n")
	out, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T, out *harnesstest.Outcome) string {
	t.Helper()
	events, err := out.Events()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range events {
		if e, ok := e.(agui.TextMessageContent); ok {
			b.WriteString(e.Delta)
		}
	}
	return b.String()
}

func TestTheAgentFollowsItsPrompt(t *testing.T) {
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	for _, c := range []struct {
		name   string
		prompt string
		text   string
		stderr string
		reason harness.Reason
	}{
		{"says", "prose\nsay two  words \\n", "two  words \\n\n", "", harness.ReasonOK},
		{"says in JSON", "json hello", "hello", "", harness.ReasonOK},
		{"counts", "lines 3", "line 1\nline 2\nline 3\n", "", harness.ReasonOK},
		{"prints a long line", "long 300000", strings.Repeat("x", 300000) + "\n", "", harness.ReasonOK},
		{"prints bytes", "binary", "\uFFFD\uFFFD\x00\uFFFD\n", "", harness.ReasonOK},
		{"complains", "stderr oops", "", "oops\n", harness.ReasonOK},
		{"sees its environment", "env FROM_TEST", "yes\n", "", harness.ReasonOK},
		{"appends", "append " + starts, "", "", harness.ReasonOK},
		{"waits", "sleep 0.01\nsay awake", "awake\n", "", harness.ReasonOK},
		{"exits", "say a\nexit 3\nsay b", "a\n", "", harness.ReasonCrashed},
		{"dies", "kill-self KILL\nsay b", "", "", harness.ReasonCrashed},
		{"survives", "ignore-term\nkill-self TERM\nsay alive", "alive\n", "", harness.ReasonOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := play(t, harnesstest.Script{Env: map[string]string{"FROM_TEST": "yes"}}, c.prompt)
			if got := text(t, out); got != c.text {
				t.Errorf("text %.200q, want %.200q", got, c.text)
			}
			if out.Result.Reason != c.reason || string(out.Stderr) != c.stderr {
				t.Errorf("result %+v, stderr %q; want %s and %q", out.Result, out.Stderr, c.reason, c.stderr)
			}
		})
	}
	if got, err := os.ReadFile(starts); err != nil || bytes.Count(got, []byte("start ")) != 1 {
		t.Errorf("starts %q, %v; want one", got, err)
	}
}

func TestTheAgentIsCanceledWithItsHeartbeat(t *testing.T) {
	beats := filepath.Join(t.TempDir(), "beats")
	out := play(t, harnesstest.Script{
		Cancel:      func(r *harnesstest.Record) bool { return len(r.Payloads) > 0 },
		AfterResult: 100 * time.Millisecond,
	}, "ignore-term", "say on", "heartbeat "+beats)
	if out.Result.Reason != harness.ReasonCanceled || !out.Killed {
		t.Errorf("result %+v, killed %v; want a canceled one that was killed", out.Result, out.Killed)
	}
	if got, err := os.ReadFile(beats); err != nil || len(got) == 0 {
		t.Errorf("%d heartbeats, %v; want some", len(got), err)
	}
}

// The child outlives the agent, in a session of its own. It stops by itself once
// its file can't be written any more.
func TestAChildStaysBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "beats")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out := play(t, harnesstest.Script{}, "child "+filepath.Join(dir, "child"), "say bye")
	if got := text(t, out); out.Result.Reason != harness.ReasonOK || got != "bye\n" {
		t.Errorf("result %+v, text %q", out.Result, got)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "child"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for size() <= before+1 {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no heartbeats after the agent's end: %d bytes", size())
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}
