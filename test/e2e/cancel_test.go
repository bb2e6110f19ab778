//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCancelStopsTheAgent cancels from another process while the agent is in
// each of the states that it can be in. Alone, as it is held to a time.
func TestCancelStopsTheAgent(t *testing.T) {
	for _, c := range []struct{ name, prompt, beat string }{
		{"in text", "child beat\nsay started\nspam 1000000\nsleep 1h", "beat"},
		{"in a tool", "child beat\nsay started\nrun trap '' TERM; while :; do echo x >>tool; done", "tool"},
		{"while it waits for an answer", "child beat\nsay started\nask run git init -q made", "beat"},
		{"with TERM ignored", "ignore-term\nchild beat\nsay started\nsleep 1h", "beat"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDemo(t)
			running := s.start("run", "--json", "--run-id", "r", c.prompt)
			running.await("started")
			beat := filepath.Join(s.root(), c.beat)
			until(t, 20*time.Second, "the child's heart beats", func() bool { return size(beat) > 0 })

			if n := len(s.tree()); n < 2 {
				t.Fatalf("the tree has %d processes, want agent and child", n)
			}
			asked := time.Now()
			canceling := s.start("cancel", "r")
			until(t, 2*time.Second, "the agent's whole tree is dead", func() bool { return len(s.tree()) == 0 })
			t.Logf("the tree was dead after %s", time.Since(asked))
			if r := canceling.ends().want(t, 0); !strings.Contains(r.stdout, "canceled") {
				t.Errorf("cancel says %q", r.stdout)
			}
			still(t, beat)
			end := running.ends()
			events := end.want(t, 4).events(t)
			last := events[len(events)-1].Event
			if last.Type != "RUN_ERROR" || last.Code != "canceled" {
				t.Errorf("the run ends with %s %s", last.Type, last.Code)
			}
			if _, err := os.Stat(filepath.Join(s.root(), "made")); err == nil {
				t.Error("the command that nobody allowed has run")
			}
			again := s.run("cancel", "r").want(t, 0)
			if !strings.Contains(again.stdout, "has ended already") {
				t.Errorf("a second cancel says %q", again.stdout)
			}
		})
	}
}

func TestACancelBeforeTheAgentStartsLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.run("run", "--detach", "--run-id", "r", "sleep 1h").want(t, 0)
	s.run("cancel", "r").want(t, 0)
	s.run("attach", "r").want(t, 4)
}

func TestOnCancelDestroyRemovesTheSandbox(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  lifecycle { on_cancel = \"destroy\" }")
	running := s.start("run", "--run-id", "r", "say started\nsleep 1h")
	running.await("started")
	s.run("cancel", "r").want(t, 0)
	running.ends().want(t, 4)
	until(t, 20*time.Second, "the sandbox is removed", func() bool { return len(s.roots()) == 0 })
}

func TestDestroyOnCompleteRemovesTheSandbox(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  lifecycle { destroy_on_complete = true }")
	s.run("run", "write f: x").want(t, 0)
	if left := s.roots(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAClosedTerminalCancelsWhereItIsAskedTo(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  lifecycle { on_disconnect = \"cancel\" }")
	term := s.terminal("run", "--run-id", "r", "child beat\nsay started\nsleep 1h")
	term.await("started")
	// What a closing terminal sends; the test's own reader keeps it open.
	if err := term.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := term.ends(); code != 4 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	s.run("attach", "r").want(t, 4)
	still(t, filepath.Join(s.root(), "beat"))
}

func TestTheSecondCtrlCStopsWaiting(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	term := s.terminal("run", "--run-id", "r", "say started\nsleep 1h")
	term.await("started")
	// A driver that sleeps can't end the run, so that the first Ctrl-C alone
	// would wait.
	for _, d := range s.named("drive r") {
		if err := syscall.Kill(d.pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(d.pid, syscall.SIGCONT) }) // it may have ended
	}
	term.typed("\x03")
	term.await("press Ctrl-C again")
	term.typed("\x03")
	if code := term.ends(); code != 4 || !strings.Contains(term.screen(), "is being canceled") {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	for _, d := range s.named("drive r") {
		if err := syscall.Kill(d.pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	s.run("attach", "r").want(t, 4)
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// still fails the test if a file goes on growing.
func still(t *testing.T, file string) {
	t.Helper()
	before := size(file)
	deadline := time.NewTimer(400 * time.Millisecond)
	defer deadline.Stop()
	<-deadline.C
	if after := size(file); after != before {
		t.Errorf("%s grew from %d to %d bytes: somebody still writes it", filepath.Base(file), before, after)
	}
}
