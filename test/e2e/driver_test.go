//go:build linux

package e2e

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newMinimal is a world with the journaled agent, which needs more programs
// than sh.
func newMinimal(t *testing.T) *stage {
	t.Helper()
	s := newStage(t, minimal)
	s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
	return s
}

// killDriver ends the driver of a run the hard way.
func (s *stage) killDriver(run string) {
	s.t.Helper()
	drivers := s.named("drive " + run)
	if len(drivers) != 1 {
		s.t.Fatalf("run %s has the drivers %v, want one", run, drivers)
	}
	if err := syscall.Kill(drivers[0].pid, syscall.SIGKILL); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) pluginsGone() {
	s.t.Helper()
	until(s.t, 2*time.Second, "the plugins of the dead driver are gone", func() bool {
		return len(s.named("sandlot-provider-")) == 0 && len(s.named("sandlot-harness-")) == 0
	})
}

func TestAJournaledAgentOutlivesItsDriver(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--detach", "--run-id", "r", strings.Join([]string{
		"append starts", "say before", "sleep 10", "say after", "exit 0",
	}, "\n")).want(t, 0)
	until(t, 10*time.Second, "the agent has started", func() bool { return len(s.roots()) == 1 && size(filepath.Join(s.root(), "starts")) > 0 })
	s.killDriver("r")
	s.pluginsGone()
	if len(s.processes()) == 0 {
		t.Fatal("the agent has ended with its driver")
	}
	r := s.run("attach", "--json", "r").want(t, 0)
	events := r.events(t)
	if got := strings.Fields(text(events)); strings.Join(got, " ") != "before after" {
		t.Errorf("the text is %q: each line once, in order", got)
	}
	if last := events[len(events)-1].Event; last.Type != "RUN_FINISHED" {
		t.Errorf("the run ends with %s %s %s", last.Type, last.Code, last.Message)
	}
	if n := strings.Count(s.file("starts"), "\n"); n != 1 {
		t.Errorf("the agent was started %d times", n)
	}
}

func TestAJournaledAgentWithoutDriverIsCanceled(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--detach", "--run-id", "r", "ignore-term\nchild beat\nheartbeat own").want(t, 0)
	until(t, 10*time.Second, "the agent's hearts beat", func() bool {
		return len(s.roots()) == 1 && size(filepath.Join(s.root(), "beat")) > 0 && size(filepath.Join(s.root(), "own")) > 0
	})
	s.killDriver("r")
	s.pluginsGone()
	before := size(filepath.Join(s.root(), "beat"))
	until(t, 20*time.Second, "the agent goes on", func() bool { return size(filepath.Join(s.root(), "beat")) > before })
	s.run("cancel", "r").want(t, 0)
	still(t, filepath.Join(s.root(), "beat"))
	still(t, filepath.Join(s.root(), "own"))
	s.run("attach", "r").want(t, 4)
}

func TestADuplexAgentIsEndedByTheNextWhoLooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb string
		code int    // of attach
		says string // the run's end
	}{
		{"attach", 3, "agent lost with its driver"},
		{"cancel", 4, "canceled"},
	} {
		t.Run(c.verb, func(t *testing.T) {
			s := newDemo(t)
			s.run("run", "--detach", "--run-id", "r", "ignore-term\nchild beat\nsay started\nrun while :; do :; done").want(t, 0)
			until(t, 10*time.Second, "the child's heart beats", func() bool {
				return len(s.roots()) == 1 && size(filepath.Join(s.root(), "beat")) > 0
			})
			// The plugins too, at once: what ends the agent is who comes next.
			for _, p := range append(s.named("sandlot-provider-"), append(s.named("sandlot-harness-"), s.named("drive r")...)...) {
				if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
					t.Fatal(err)
				}
			}
			s.pluginsGone()
			if len(s.tree()) == 0 {
				t.Fatal("the agent has ended by itself")
			}
			if c.verb == "cancel" {
				s.run("cancel", "r").want(t, 0)
			}
			r := s.run("attach", "r").want(t, c.code)
			if !strings.Contains(r.stderr, c.says) {
				t.Errorf("attach says %q, want %q in it", r.stderr, c.says)
			}
			still(t, filepath.Join(s.root(), "beat"))
			if left := s.named("demo-agent"); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
			events := s.run("attach", "--json", "r").want(t, c.code).events(t)
			if calls, results := find(events, "TOOL_CALL_START", ""), find(events, "TOOL_CALL_RESULT", ""); len(calls) != len(results) {
				t.Errorf("%d tool calls have %d results", len(calls), len(results))
			}
		})
	}
}

func TestADriverThatIsToldToStopLeavesAJournaledAgentGoing(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--detach", "--run-id", "r", "append starts\nsleep 2\nsay after").want(t, 0)
	until(t, 10*time.Second, "the agent has started", func() bool { return len(s.roots()) == 1 && size(filepath.Join(s.root(), "starts")) > 0 })
	for _, d := range s.named("drive r") {
		if err := syscall.Kill(d.pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	s.pluginsGone()
	if r := s.run("attach", "r").want(t, 0); !strings.Contains(r.stdout, "after") {
		t.Errorf("attach shows %q", r.stdout)
	}
}
