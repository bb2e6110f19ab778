package harnesstest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// shell launches `sh -c script`, which a real harness would never do with a
// prompt.
func shell(script string, stdin harness.Stdin) *echo {
	e := good()
	e.launch = func(s *harness.Session, l *harness.Launch) {
		l.Argv, l.Stdin = []string{"sh", "-c", script}, stdin
		l.Env = map[string]string{"FROM_LAUNCH": "yes"}
		if stdin == harness.StdinPrompt {
			l.Prompt = []byte(s.Start().Prompt)
		}
		s.Provision(harness.Provision{Files: []harness.File{{Path: "a/file", Data: []byte("provisioned")}}})
	}
	return e
}

func TestScriptRunsARealProcess(t *testing.T) {
	state := t.TempDir()
	s := harnesstest.Script{
		Open:  harnesstest.Direct(shell(`echo "$FROM_LAUNCH $FROM_SCRIPT"; cat; echo; cat "$STATE/a/file"; echo oops >&2; exit 3`, harness.StdinPrompt)),
		Start: harness.Start{Run: "run", Prompt: "the prompt", Workspace: harness.Workspace{StateDir: state}},
		Env:   map[string]string{"FROM_SCRIPT": "too", "STATE": state},
	}
	out, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("yes too\nthe prompt\nprovisioned", string(out.Stdout)); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	want := harness.Result{Reason: harness.ReasonCrashed, Message: "code 3 signal 0 oops\n"}
	if diff := cmp.Diff(want, *out.Result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	events, err := out.Events()
	if err != nil || len(events) != 9 {
		t.Errorf("%d events, %v; want 9", len(events), err)
	}
}

func TestScriptTellsHowTheProcessEnded(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         harness.Exit
	}{
		{"normally", "exit 0", harness.Exit{Known: true, Message: "exit code 0"}},
		{"by a signal", "kill -KILL $$", harness.Exit{Code: -1, Signal: 9, Known: true, Message: "killed by signal 9"}},
		{"with a child that keeps stdout", "sleep 60 & exit 4", harness.Exit{Code: 4, Known: true, Message: "exit code 4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := harnesstest.Script{Open: harnesstest.Direct(shell(c.script, harness.StdinNone)), Start: start}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out.Exit.Stderr = nil
			if diff := cmp.Diff(c.want, out.Exit); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScriptReportsAProgramThatIsntThere(t *testing.T) {
	e := good()
	e.launch = func(_ *harness.Session, l *harness.Launch) { l.Argv = []string{"no-such-program-anywhere"} }
	out, err := harnesstest.Script{Open: harnesstest.Direct(e), Start: start}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out.Result.Reason != harness.ReasonCLIMissing {
		t.Errorf("result %+v, want cli_missing", out.Result)
	}
}

func TestScriptWritesToADuplexAgentAndKillsOneThatStays(t *testing.T) {
	e := shell(`read -r line; echo "got $line"; trap "" TERM; while :; do sleep 0.01; done`, harness.StdinDuplex)
	e.text = func(s *harness.Session, _, line string) {
		if line == "got hello" {
			s.CloseInput()
		}
	}
	e.launched = func(s *harness.Session) { s.Write([]byte("hello\n")) }
	out, err := harnesstest.Script{Open: harnesstest.Direct(e), Start: start, AfterResult: 50 * time.Millisecond}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !out.Killed || out.Exit.Signal != 9 || string(out.Input()) != "hello\n" {
		t.Errorf("killed %v, exit %+v, input %q; want a kill after the input", out.Killed, out.Exit, out.Input())
	}
}

func TestScriptCancels(t *testing.T) {
	out, err := harnesstest.Script{
		Open:        harnesstest.Direct(shell("echo started; while :; do sleep 0.01; done", harness.StdinNone)),
		Start:       start,
		Cancel:      func(r *harnesstest.Record) bool { return len(r.Payloads) > 0 },
		AfterResult: 50 * time.Millisecond,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out.Result.Reason != harness.ReasonCanceled || !out.Killed {
		t.Errorf("result %+v, killed %v; want a canceled one that was killed", out.Result, out.Killed)
	}
}

func TestScriptEndsItsAgentWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	state := t.TempDir()
	s := harnesstest.Script{
		Open:  harnesstest.Direct(shell("echo $$; while :; do sleep 0.01; done", harness.StdinNone)),
		Start: harness.Start{Run: "run", Workspace: harness.Workspace{StateDir: state}},
		Cancel: func(r *harnesstest.Record) bool {
			if len(r.Payloads) > 0 {
				stop()
			}
			return false
		},
	}
	_, err := s.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v, want a canceled context", err)
	}
	if _, err := os.Stat(filepath.Join(state, "stdout")); err != nil {
		t.Errorf("a folder that was given must stay: %v", err)
	}
}
