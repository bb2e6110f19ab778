//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCancelStopsTheAgent cancels from another process while the agent is in
// each of the states that it can be in.
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
			until(t, 5*time.Second, "the child's heart beats", func() bool { return size(beat) > 0 })

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
	s := newDemo(t)
	s.run("run", "--detach", "--run-id", "r", "sleep 1h").want(t, 0)
	s.run("cancel", "r").want(t, 0)
	s.run("attach", "r").want(t, 4)
}

func TestOnCancelDestroyRemovesTheSandbox(t *testing.T) {
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  lifecycle { on_cancel = \"destroy\" }")
	running := s.start("run", "--run-id", "r", "say started\nsleep 1h")
	running.await("started")
	s.run("cancel", "r").want(t, 0)
	running.ends().want(t, 4)
	until(t, 5*time.Second, "the sandbox is removed", func() bool { return len(s.roots()) == 0 })
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
