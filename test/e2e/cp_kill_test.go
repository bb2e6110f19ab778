//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWhatAKilledCpLeavesGoesWithTheNextCp kills cp together with its provider when
// the file is in the sandbox and doesn't have its name yet.
func TestWhatAKilledCpLeavesGoesWithTheNextCp(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	id := strings.TrimSpace(g.run("up").want(t, 0).stdout)
	g.write("file", "content")
	g.hold("before rename")
	verb := g.start("cp", "file", id+":file")
	provider := g.await()
	if err := verb.cmd.Process.Signal(syscall.SIGSTOP); err != nil { // it mustn't start another
		t.Fatal(err)
	}
	kill(t, provider)
	if err := verb.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	verb.ends()
	g.open()
	g.pluginsGone()
	unfinished := func() []string {
		t.Helper()
		left, err := filepath.Glob(filepath.Join(g.root(), ".sandlot-cp-*"))
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	if left := unfinished(); len(left) != 1 {
		t.Fatalf("cp was killed, and left %v", left)
	}
	g.write("other", "content")
	g.run("cp", "other", id+":other").want(t, 0)
	if left := unfinished(); len(left) > 0 {
		t.Errorf("the next cp has left %v", left)
	}
	if _, err := os.Stat(filepath.Join(g.root(), "other")); err != nil {
		t.Error(err)
	}
}
