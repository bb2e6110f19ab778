//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forgetful is a project whose agent is testdata/forgetful, run by the harness of
// Claude Code.
const forgetful = `
provider "localprocess" "here" {}
harness "claude-code" "c" {
  command = ["sh", "%s"]
  env     = { AGENT_STATE = "%s", PATH = "/usr/bin:/bin" }
}
policy "p" { default = "allow" }
sandbox "claude" {
  provider = provider.localprocess.here
  harness  = harness.claude-code.c
  policy   = policy.p
}
`

// newForgetful is a stage with such an agent, and the folder of its state.
func newForgetful(t *testing.T) (s *stage, state string) {
	t.Helper()
	state = t.TempDir()
	return newStage(t, fmt.Sprintf(forgetful, filepath.Join(top(), "test/e2e/testdata/forgetful/agent.sh"), state)), state
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// given is what the agent was given at a start; empty if there was none.
func given(t *testing.T, state, what string, start int) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(state, fmt.Sprint(what, ".", start)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// resumed is the session that a start was to resume.
func resumed(t *testing.T, state string, start int) string {
	t.Helper()
	for line := range strings.Lines(given(t, state, "args", start)) {
		if session, ok := strings.CutPrefix(line, "--resume="); ok {
			return strings.TrimSpace(session)
		}
	}
	return ""
}

const conversation = "The conversation so far:\n\n[user]\nfirst\n\n[assistant]\nanswer 1\n\n[user, now]\nsecond"

func TestAnAgentThatForgotItsSessionBeginsANewOneWithTheConversation(t *testing.T) {
	t.Parallel()
	for _, mood := range []string{"", "greets"} {
		t.Run("mood "+mood, func(t *testing.T) {
			t.Parallel()
			s, state := newForgetful(t)
			s.run("run", "--thread", "t", "first").want(t, 0)
			if err := os.Remove(filepath.Join(state, "session.s1")); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(state, "mood"), mood)
			r := s.run("run", "--thread", "t", "--run-id", "r", "second").want(t, 0)
			if !strings.Contains(r.stdout, "answer 3") || !strings.Contains(r.stderr, "doesn't know session s1") ||
				!strings.Contains(r.stderr, "begins a new one and is given the conversation so far") {
				t.Errorf("stdout: %s\nstderr: %s", r.stdout, r.stderr)
			}
			events := s.run("attach", "--json", "r").want(t, 0).events(t)
			if w := warnings(events, "session_not_resumed"); len(w) != 1 {
				t.Errorf("warnings: %q", w)
			}
			if got := text(events); got != "answer 3" {
				t.Errorf("it said %q", got)
			}
			if a, b := resumed(t, state, 2), resumed(t, state, 3); a != "s1" || b != "" {
				t.Errorf("the starts resumed %q and %q", a, b)
			}
			if diff := cmp.Diff(conversation, given(t, state, "prompt", 3)); diff != "" {
				t.Error(diff)
			}
			s.run("run", "--thread", "t", "third").want(t, 0)
			if a := resumed(t, state, 4); a != "s3" || given(t, state, "prompt", 4) != "third" {
				t.Errorf("the next run resumed %q with prompt %q", a, given(t, state, "prompt", 4))
			}
		})
	}
}

func TestAnAgentThatForgetsIsNotStartedForEver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, mood, says string
		starts           int
	}{
		{"one that knows no session at all", "never", "once more", 3},
		{"one that has worked before it says so", "worked", "no prompt is sent twice", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, state := newForgetful(t)
			s.run("run", "--thread", "t", "first").want(t, 0)
			put(t, filepath.Join(state, "mood"), c.mood)
			r := s.run("run", "--thread", "t", "second").want(t, 3)
			if !strings.Contains(r.stderr, c.says) || !strings.Contains(r.stderr, "session_unknown") {
				t.Errorf("stderr: %s", r.stderr)
			}
			if given(t, state, "args", c.starts) == "" || given(t, state, "args", c.starts+1) != "" {
				t.Errorf("it wasn't started %d times", c.starts)
			}
		})
	}
}

// TestWhoeverDrivesAnAgentThatBeginsAnewTheLogIsTheSame kills the driver at the
// calls of its provider from the end of the agent that forgot its session to the
// end of the one after it.
func TestWhoeverDrivesAnAgentThatBeginsAnewTheLogIsTheSame(t *testing.T) {
	t.Parallel()
	plugins, err := gatedPlugins()
	if err != nil {
		t.Fatal(err)
	}
	// lived gives the log of a run whose driver was killed at a call, the first one
	// after another.
	lived := func(t *testing.T, first, call string) []string {
		s, state := newForgetful(t)
		g := &gate{stage: s, dir: t.TempDir()}
		g.env = append(g.env, "SANDLOT_PLUGIN_DIR="+plugins, "SANDLOT_GATE="+g.dir)
		s.run("run", "--thread", "t", "first").want(t, 0)
		if err := os.Remove(filepath.Join(state, "session.s1")); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(state, "mood"), "greets")
		if first != "" {
			g.hold(first)
		}
		s.run("run", "--detach", "--run-id", "r", "--thread", "t", "second").want(t, 0)
		if first != "" {
			g.await()
			if call != first {
				if err := os.Remove(filepath.Join(g.dir, "held")); err != nil {
					t.Fatal(err)
				}
				g.hold(call)
				g.await()
			}
			g.killDriver("r")
			g.pluginsGone()
			g.open()
		}
		log := told(t, s.run("attach", "--json", "r").want(t, 0))
		if given(t, state, "args", 3) == "" || given(t, state, "args", 4) != "" {
			t.Error("the agent wasn't started once more, and once only")
		}
		if diff := cmp.Diff(conversation, given(t, state, "prompt", 3)); diff != "" {
			t.Error(diff)
		}
		g.cleaned()
		return log
	}
	want := lived(t, "", "")
	const removed = "before remove r"
	for _, c := range []struct{ first, call string }{
		{"before start leftovers-r", "before start leftovers-r"},
		{"before start leftovers-r", "after kill agent-r"},
		{removed, removed},
		{removed, "after remove r"},
		{removed, "before write in"},
		{removed, "before start agent-r"},
		{removed, "after start agent-r"},
		{removed, "before start leftovers-r"},
	} {
		t.Run(c.first+", "+c.call, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, lived(t, c.first, c.call)); diff != "" {
				t.Errorf("the log differs from that of a run that nobody disturbed:\n%s", clip(diff))
			}
		})
	}
}
