//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestARequestThatTheAgentWithdrawsWaitsForNobody has an agent that wants to know,
// and then doesn't.
func TestARequestThatTheAgentWithdrawsWaitsForNobody(t *testing.T) {
	t.Parallel()
	s, state := newForgetful(t)
	s.edit("testdata/forgetful", "testdata/withdrawing")
	s.edit(`default = "allow"`, `default = "ask"`)
	term := s.terminal("run", "--run-id", "r", "work")
	term.await("allow make it?")
	put(t, filepath.Join(state, "withdraw"), "")
	term.await("withdrawn: the agent waits for the answer no longer")
	db := s.database()
	if n := s.number(db, `SELECT count(*) FROM runs WHERE waiting_on <> ''`); n != 0 {
		t.Error("the run waits still")
	}
	if r := s.run("approve", "r").want(t, 1); !strings.Contains(r.stderr, "was withdrawn at") {
		t.Errorf("an answer is told: %s", r.stderr)
	}
	term.typed("y\n")
	put(t, filepath.Join(state, "go"), "")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	until(t, 10*time.Second, "the agent has ended", func() bool { return len(s.tree()) == 0 })
	if got := answersOf(t, state); strings.Contains(got, "allow") {
		t.Errorf("it was answered %s", got)
	}
	var decided []string
	for _, e := range find(s.run("attach", "--json", "r").want(t, 0).events(t), "CUSTOM", "approval.decided") {
		var v struct{ Decision, Scope, By string }
		e.value(&v)
		decided = append(decided, v.Decision+" "+v.Scope+" "+v.By)
	}
	if len(decided) != 1 || decided[0] != "deny once withdrawn" {
		t.Errorf("decided: %q", decided)
	}
}

func answersOf(t *testing.T, state string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(state, "answers"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
