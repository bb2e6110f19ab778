//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnAgentKilledFromOutsideSaysSo kills the agent, and with it the shell
// that watches it, as the kernel does when memory runs out.
func TestAnAgentKilledFromOutsideSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		wrapper bool
		says    []string
	}{
		{"the agent alone", false, []string{"signal 9"}},
		{"the agent and its shell", true, []string{"signal 9"}},
	} {
		for kind, stage := range map[string]func(*testing.T) *stage{"duplex": newDemo, "journaled": newMinimal} {
			t.Run(c.name+", "+kind, func(t *testing.T) {
				s := stage(t)
				words := word()
				running := s.start("run", "--json", "--run-id", "r", "say started\nstderr "+words+"\nsleep 60s")
				running.await("started")
				until(t, 20*time.Second, "the agent writes its last words", func() bool {
					found, _ := filepath.Glob(filepath.Join(s.home, "sandboxes", "*", "state", "runs", "r", "err"))
					return len(found) == 1 && size(found[0]) > 0
				})
				for _, p := range s.tree() {
					isShell := strings.Contains(strings.Join(p.args, " "), "Runs the agent with its output")
					if isShell && !c.wrapper {
						continue
					}
					_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may be gone with another
				}
				events := running.ends().want(t, 3).events(t)
				last := events[len(events)-1].Event
				for _, want := range append(c.says, words) {
					if !strings.Contains(last.Message, want) {
						t.Errorf("the run ends with %s: %q, want %q in it", last.Code, last.Message, want)
					}
				}
			})
		}
	}
}

// TestAnAgentThatNobodySawEndIsNotSaidToHaveExited kills driver and agent, so
// that no exit was ever seen.
func TestAnAgentThatNobodySawEndIsNotSaidToHaveExited(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--detach", "--run-id", "r", "append starts\nsleep 60s").want(t, 0)
	until(t, 10*time.Second, "the agent has started", func() bool { return len(s.roots()) == 1 && size(filepath.Join(s.root(), "starts")) > 0 })
	s.killDriver("r")
	s.pluginsGone()
	for _, p := range s.tree() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may be gone with another
	}
	events := s.run("attach", "--json", "r").want(t, 3).events(t)
	last := events[len(events)-1].Event
	if last.Type != "RUN_ERROR" || !strings.Contains(last.Message, "nobody saw how it ended") || strings.Contains(last.Message, "exit code") {
		t.Errorf("the run ends with %s %s: %q", last.Type, last.Code, last.Message)
	}
}

func TestStdinIsAtItsEndUnlessAskedFor(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	// The script reads its prompt to the end of stdin, and prints after it.
	if r := s.run("run", "say before\nsleep 0.2\nsay after").want(t, 0); strings.Join(strings.Fields(r.stdout), " ") != "before after" {
		t.Errorf("stdout: %q", r.stdout)
	}
}

func TestAPathThatIsNoTextWorks(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	odd := filepath.Join(t.TempDir(), "a\xff\xfe b")
	s.home = odd
	s.env = append(s.env, "SANDLOT_HOME="+odd)
	s.run("run", "append f\nsay hello").want(t, 0)
	if n := strings.Count(s.file("f"), "\n"); n != 1 {
		t.Errorf("the agent was started %d times", n)
	}
	s.run("destroy", "minimal").want(t, 0)
	if left := s.roots(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
