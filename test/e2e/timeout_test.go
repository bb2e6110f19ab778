//go:build linux

package e2e

import (
	"strings"
	"testing"
)

func TestAnAgentThatTakesTooLongIsEndedAndToldWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, timeouts, prompt, reason, says string }{
		{"no first event", `startup = "1s"`, "child beat\nsleep 1h", "startup_timeout", "no first event within 1s"},
		{"silence", `idle = "1s"`, "child beat\nsay started\nsleep 1h", "idle_timeout", "no output for 1s"},
		{"the whole run", `run = "2s"`, "child beat\nsay started\nheartbeat own", "run_timeout", "longer than 2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newMinimal(t)
			s.edit("harness  = harness.minimal.m", "harness  = harness.minimal.m\n  timeouts { "+c.timeouts+" }")
			words := word()
			events := s.run("run", "--json", "stderr "+words+"\n"+c.prompt).want(t, 3).events(t)
			last := events[len(events)-1].Event
			if last.Code != c.reason || !strings.Contains(last.Message, c.says) || !strings.Contains(last.Message, words) {
				t.Errorf("the run ends with %s: %q, want %s: %q and the last words", last.Code, last.Message, c.reason, c.says)
			}
			if left := s.tree(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
}

func TestTheIdleClockStandsStillWhileARequestWaits(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  timeouts { idle = \"1s\" }")
	s.edit(`approval_timeout = "10m"`, `approval_timeout = "3s"`)
	r := s.run("run", "--json", "ask run git init -q made\nsay over").want(t, 0)
	if !strings.Contains(r.stdout, `"by":"timeout"`) || !strings.Contains(text(r.events(t)), "over") {
		t.Errorf("stdout: %s", clip(r.stdout))
	}
}

func TestAnAgentThatDoesNotExitAfterItsResultIsEnded(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  timeouts { after_result = \"1s\" }")
	r := s.run("run", "--json", "ignore-eof\nignore-term\nsay over").want(t, 0)
	if !strings.Contains(r.stdout, "forced_exit") || !strings.Contains(text(r.events(t)), "over") {
		t.Errorf("stdout: %s", clip(r.stdout))
	}
	if left := s.tree(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
