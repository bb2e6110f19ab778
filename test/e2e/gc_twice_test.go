//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// TestAGCInTheMiddleOfARemovalIsInNobodysWay holds one gc right before the
// provider removes a sandbox, and lets every other verb meet it there.
func TestAGCInTheMiddleOfARemovalIsInNobodysWay(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	doomed := strings.TrimSpace(g.run("up", "--thread", "doomed").want(t, 0).stdout)
	g.hold("before destroy")
	first := g.start("gc", "--idle", "0s")
	g.await()

	if r := g.run("gc", "--idle", "0s").want(t, 0); strings.Contains(r.stdout, "removed sandbox") {
		t.Errorf("another gc says %q", r.stdout)
	}
	if r := g.run("destroy", doomed).want(t, 1); !strings.Contains(r.stderr, "is in use by sandlot gc (pid ") {
		t.Errorf("destroy says %q", r.stderr)
	}
	if r := g.run("exec", doomed, "--", "true").want(t, 125); !strings.Contains(r.stderr, "it is being removed") {
		t.Errorf("exec says %q", r.stderr)
	}
	if r := g.run("cp", "sandlot.hcl", doomed+":f").want(t, 1); !strings.Contains(r.stderr, "it is being removed") {
		t.Errorf("cp says %q", r.stderr)
	}
	// A sandbox of its own has nothing to do with it.
	other := strings.TrimSpace(g.run("up", "--thread", "other").want(t, 0).stdout)
	if r := g.run("exec", other, "--", "echo", "hi").want(t, 0); r.stdout != "hi\n" {
		t.Errorf("exec says %q", r.stdout)
	}
	g.run("run", "--thread", "third", "say hi").want(t, 0)

	// The thread whose sandbox goes waits, and gets another.
	next := g.start("up", "--thread", "doomed")
	g.open()
	if r := first.ends().want(t, 0); !strings.Contains(r.stdout, "removed sandbox "+doomed) {
		t.Errorf("the first gc says %q", r.stdout)
	}
	anew := strings.TrimSpace(next.ends().want(t, 0).stdout)
	for _, id := range []string{anew, other} {
		if got := g.run("exec", id, "--", "cat", "setups").want(t, 0).stdout; got != "x\n" {
			t.Errorf("sandbox %s has been set up %q", id, got)
		}
	}
	gcs := []*started{g.start("gc", "--idle", "0s"), g.start("gc", "--idle", "0s"), g.start("gc", "--idle", "0s")}
	for _, gc := range gcs {
		gc.ends().want(t, 0)
	}
	if r := g.run("ps").want(t, 0); r.stdout != "" || len(g.roots()) > 0 {
		t.Errorf("left: %s%v", r.stdout, g.roots())
	}
}
