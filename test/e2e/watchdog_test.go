//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scripted is a project with Claude Code's harness, whose agent is the script
// testdata/claude/agent.sh and does what it is told to. Gated, it is asked about
// each call, by way of its stdin; else it is fed nothing.
func scripted(t *testing.T, gated bool, timeouts, steps string) *stage {
	t.Helper()
	fallback := "allow"
	if gated {
		fallback = "ask"
	}
	return newStage(t, fmt.Sprintf(`
provider "localprocess" "here" {}
harness "claude-code" "c" { command = ["/bin/sh", %q, %q] }
policy "p" {
  default = %q
}
sandbox "claude" {
  provider = provider.localprocess.here
  harness  = harness.claude-code.c
  policy   = policy.p
  timeouts {
    %s
  }
}
`, filepath.Join(top(), "test/e2e/testdata/claude/agent.sh"), steps, fallback, strings.ReplaceAll(timeouts, ", ", "\n    ")))
}

// TestEachWayOfGoingWrongHasAnEndOfItsOwn has agents that hang and die in every
// way that agents do, fed through stdin and not.
func TestEachWayOfGoingWrongHasAnEndOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, timeouts, fed, alone string // what the agent does; empty: not tried
		code                       int
		reason                     string   // empty: completed
		says                       []string // in the message, or in the warning forced_exit
	}{
		{
			"the result is there and no exit", `after_result = "2s"`,
			"greet; say one; echo bye >&2; result; hang", "begin; say one; echo bye >&2; result; hang", 0, "",
			[]string{"didn't exit within 2s", "last event: TEXT_MESSAGE_END", "is sleeping", "sleep 3600", "stderr: bye"},
		},
		{
			"its stdin was closed and it stays", `after_result = "2s"`,
			"greet; say one; trap '' TERM; result; await; hang", "", 0, "",
			[]string{"didn't exit within 2s", "sleep 3600", "it wrote nothing to stderr"},
		},
		{
			"a hang at the start", `startup = "2s"`,
			"echo starting >&2; hang", "echo starting >&2; hang", 3, "startup_timeout",
			[]string{"no first event within 2s", "last event: none", "agent.sh", "is sleeping", "stderr: starting", "sandlot logs --stderr", "timeouts.startup"},
		},
		{
			"half a line and a hang at the start", `startup = "2s"`,
			"", "half; hang", 3, "startup_timeout",
			[]string{"no first event within 2s", "in the middle of a line", "81 bytes"},
		},
		{
			"silence", `idle = "2s"`,
			"greet; say one; hang", "begin; say one; hang", 3, "idle_timeout",
			[]string{"no output for 2s", "last event: TEXT_MESSAGE_", "is sleeping", "nothing to stderr", "timeouts.idle"},
		},
		{
			"a stop by a signal", `idle = "2s"`,
			"", "begin; say one; kill -STOP $$", 3, "idle_timeout",
			[]string{"no output for 2s", "is stopped (SIGSTOP"},
		},
		{
			"words on stderr alone", `idle = "2s"`,
			"", "begin; say one; while :; do echo trying again >&2; sleep 0.1; done", 3, "idle_timeout",
			[]string{"no output for 2s", "stderr: trying again"},
		},
		{
			"a stdin that it has closed", `idle = "2s"`,
			"exec <&-; begin; say one; hang", "", 3, "idle_timeout",
			[]string{"no output for 2s", "is sleeping"},
		},
		{
			"a tool that doesn't come back", `idle = "200ms", tool = "2s"`,
			"", `both=$(begin; call make); echo "$both"; hang`, 3, "idle_timeout", // in one write
			[]string{"no output for 2s while a tool worked (Bash)", "last event: TOOL_CALL_END (Bash)", "timeouts.tool"},
		},
		{
			"a run without an end", `run = "2s"`,
			"", "begin; call make; while :; do beat; sleep 0.1; done", 3, "run_timeout",
			[]string{"longer than 2s", "timeouts.run"},
		},
		{
			"a death", "", "greet; say one; echo out of luck >&2; kill -9 $$", "begin; say one; echo out of luck >&2; kill -9 $$", 3, "crashed",
			[]string{"before it gave a result", "signal 9", "out of luck"},
		},
		{
			"half a line and a death", "", "greet; say one; half; kill -9 $$", "begin; say one; half; kill -9 $$", 3, "output_cut",
			[]string{"in the middle of a message", "signal 9"},
		},
		{
			"half a line and an exit", "", "", "begin; half; exit 0", 3, "output_cut",
			[]string{"in the middle of a message", "exit code 0"},
		},
	} {
		for kind, steps := range map[string]string{"fed": c.fed, "alone": c.alone} {
			if steps == "" {
				continue
			}
			t.Run(c.name+", "+kind, func(t *testing.T) {
				t.Parallel()
				s := scripted(t, kind == "fed", c.timeouts, steps)
				events := s.run("run", "--json", "go").want(t, c.code).events(t)
				last := events[len(events)-1].Event
				told := last.Message
				if c.reason == "" {
					told = strings.Join(warnings(events, "forced_exit"), "\n")
				}
				if last.Code != c.reason {
					t.Errorf("the run ends with %s %q: %s", last.Type, last.Code, last.Message)
				}
				for _, want := range c.says {
					if !strings.Contains(told, want) {
						t.Errorf("it says\n%s\n, want %q", told, want)
					}
				}
				if left := s.tree(); len(left) > 0 {
					t.Errorf("left running: %v", left)
				}
			})
		}
	}
}

// TestWhatAToolLeavesHoldsNoEndUp has an agent whose tool leaves a process that
// keeps its stdout.
func TestWhatAToolLeavesHoldsNoEndUp(t *testing.T) {
	t.Parallel()
	s := scripted(t, true, `after_result = "10m"`, "greet; sleep 3600 & say one; result")
	began := time.Now()
	events := s.run("run", "--json", "go").want(t, 0).events(t)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	left := warnings(events, "left_running")
	if !slices.ContainsFunc(left, func(s string) bool { return strings.Contains(s, "sleep 3600") }) {
		t.Errorf("the warnings are %q", left)
	}
	if len(warnings(events, "forced_exit")) > 0 {
		t.Error("it exited by itself, and is said not to have")
	}
	if left := s.tree(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// TestAnAgentKilledBetweenItsResultAndItsExitHasItsResult kills it by hand.
func TestAnAgentKilledBetweenItsResultAndItsExitHasItsResult(t *testing.T) {
	t.Parallel()
	s := scripted(t, true, "", "greet; say one; result; hang")
	running := s.start("run", "--json", "--run-id", "r", "go")
	running.await("one")
	until(t, 20*time.Second, "the agent hangs", func() bool { return len(s.named("sleep 3600")) > 0 })
	for _, p := range s.tree() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may be gone with another
	}
	events := running.ends().want(t, 0).events(t)
	if n := len(warnings(events, "forced_exit")); n > 0 {
		t.Errorf("%d warnings say that we ended it", n)
	}
}

// TestAnAgentOfTheACPHarnessHasTheSameEnds has agents that never come to speak the
// protocol. Those that do are in the tests of each clock.
func TestAnAgentOfTheACPHarnessHasTheSameEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, reason, says string }{
		{"a hang at the start", "PATH=/usr/bin:/bin; sleep 3600", "startup_timeout", "process"},
		{"half a line and a death", `printf '{"jsonrpc":"2.'; kill -9 $$`, "output_cut", "in the middle of a message, after 14 bytes of output"},
		{"a death", "kill -9 $$", "crashed", "signal 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newDemo(t)
			s.edit(`command = ["sandlot-demo-agent"]`, fmt.Sprintf(`command = ["/bin/sh", "-c", %q]`, c.script))
			s.edit("policy   = policy.p", "policy   = policy.p\n  timeouts { startup = \"2s\" }")
			events := s.run("run", "--json", "go").want(t, 3).events(t)
			if last := events[len(events)-1].Event; last.Code != c.reason || !strings.Contains(last.Message, c.says) {
				t.Errorf("the run ends with %s: %s", last.Code, last.Message)
			}
		})
	}
}
