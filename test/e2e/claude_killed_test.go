//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestAnAnswerIsNotLostWithWhoDies answers a request of Claude Code while the driver
// stands still, and kills one of the run's programs before it goes on: the answer is
// in the store, and nothing has acted on it. The script has no second turn, so that
// a request that came later would fail the test.
func TestAnAnswerIsNotLostWithWhoDies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, victim string
		answer       []string
		code         int
		reason       string
	}{
		{"the driver, after a yes for the thread", "drive r", []string{"approve", "r", "--scope", "thread"}, 3, "agent_lost"},
		{"the harness, after a yes", "sandlot-harness-claude-code", []string{"approve", "r"}, 1, "plugin_crashed"},
		{"Claude Code, after a no", "claude -p", []string{"deny", "r"}, 3, "crashed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			made := word()
			s := newClaude(t, modelserver.Script{bash("echo x >>" + made)})
			running := s.start("run", "--run-id", "r", "--json", "Run")
			running.await("approval.requested")
			resume := s.pauseDriver("r")
			s.run(c.answer...).want(t, 0)
			for _, p := range s.named(c.victim) {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may be gone with another
				ended(t, p.pid)
			}
			if c.reason != "agent_lost" {
				resume()
			}
			<-running.done
			events := s.run("attach", "--json", "r").want(t, c.code).events(t)
			whole(t, events)
			if last := events[len(events)-1].Event; last.Code != c.reason {
				t.Errorf("the run ends with %s: %s", last.Code, last.Message)
			}
			n := len(find(events, "CUSTOM", "approval.decided")) + len(warnings(events, "answer_unheard"))
			if n != 1 {
				t.Errorf("%d events tell of the answer, want 1", n)
			}
			if _, err := os.Stat(filepath.Join(s.root(), made)); !os.IsNotExist(err) {
				t.Errorf("the command has run: %v", err)
			}
			if stands := strings.Contains(s.run("approvals").want(t, 0).stdout, made); stands != (c.reason == "agent_lost") {
				t.Errorf("an answer stands for later requests: %v", stands)
			}
		})
	}
}
