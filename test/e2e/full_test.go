//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// big is more than fits a store whose disk is full.
const big = "append starts\nsay before\nlines 300\nawait go\nlines 20000\nawait went\nsay after\nexit 3"

// fullStage is one whose store, alone, lies on a small disk, with a run whose agent
// waits to print much.
func fullStage(t *testing.T) *gate {
	t.Helper()
	g := newGate(t)
	small(t, g.home, 64<<20)
	g.elsewhere("runs", "sandboxes")
	g.run("run", "--detach", "--run-id", "r", "--thread", "t", big).want(t, 0)
	g.waits()
	return g
}

// whole fails the test unless the log holds all that the agent of big prints.
func (g *gate) whole(events []string) {
	g.t.Helper()
	// The first line and the last, 300 and 20000; begin and end of the message;
	// begin and end of the run, and that it was accepted; the diff; the journal.
	if want := 2 + 300 + 20000 + 2 + 3 + 1 + 1; len(events) != want {
		g.t.Errorf("the log has %d events, want %d", len(events), want)
	}
}

func TestARunWaitsForAStoreWhoseDiskIsFull(t *testing.T) {
	t.Parallel()
	if !inOwnMounts(t) {
		return
	}
	g := fullStage(t)
	free := fill(t, g.home)
	g.letGo()
	until(t, patience, "the driver has met the full disk", func() bool { return strings.Contains(g.driverLog(), "disk is full") })
	g.give("went")
	until(t, patience, "the agent goes on meanwhile", func() bool { return len(g.tree()) == 0 })
	if len(g.named("drive r")) != 1 {
		t.Error("the driver is gone")
	}
	if n := g.logged(g.database()); n >= 20000 {
		t.Fatalf("%d events fit on a full disk", n)
	}
	free()
	g.whole(g.finish())
}

// TestADriverThatDiesOfAFullStoreLosesNothing kills the driver while its store is
// full: whoever comes is told, and nothing else happens.
func TestADriverThatDiesWhileItsStoreIsFullLosesNothing(t *testing.T) {
	t.Parallel()
	if !inOwnMounts(t) {
		return
	}
	g := fullStage(t)
	free := fill(t, g.home)
	g.letGo()
	until(t, patience, "the driver has met the full disk", func() bool { return strings.Contains(g.driverLog(), "disk is full") })
	g.killDriver("r")
	g.pluginsGone()
	g.give("went")
	if r := g.run("attach", "r").want(t, 1); !strings.Contains(r.stderr, "disk is full") {
		t.Errorf("attach says %q", r.stderr)
	}
	free()
	g.whole(g.finish())
}

// TestAStoreThatIsReadOnlyIsSaidSo remounts the store's disk while no driver has
// it open.
func TestAStoreThatIsReadOnlyIsSaidSo(t *testing.T) {
	t.Parallel()
	if !inOwnMounts(t) {
		return
	}
	g := fullStage(t)
	g.killDriver("r")
	g.pluginsGone()
	g.closeDatabase()
	remount := func(flags uintptr) {
		t.Helper()
		until(t, patience, "nobody writes to the disk", func() bool {
			return unix.Mount("tmpfs", g.home, "tmpfs", unix.MS_REMOUNT|flags, "") == nil
		})
	}
	remount(unix.MS_RDONLY)
	if r := g.run("attach", "r").want(t, 1); !strings.Contains(r.stderr, "store.db") || !strings.Contains(r.stderr, "can't be") {
		t.Errorf("attach says %q", r.stderr)
	}
	remount(0)
	g.give("went")
	g.whole(g.finish())
}

// TestAStoreThatAnotherProcessHoldsIsWaitedFor has somebody keep the store locked
// for longer than SQLite waits.
func TestAStoreThatAnotherProcessHoldsIsWaitedFor(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.begin()
	g.waits()
	hold, err := g.database().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g.letGo()
	until(t, patience, "the driver has waited in vain", func() bool { return strings.Contains(g.driverLog(), "locked by another process") })
	until(t, patience, "the agent has ended meanwhile", func() bool { return len(g.tree()) == 0 })
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got := g.finish(); len(got) != 2+600+2+3+1+1 {
		t.Errorf("the log has %d events", len(got))
	}
}

// TestASandboxWhoseDiskIsFullIsToldOf has the agent print more than its disk
// holds.
func TestASandboxWhoseDiskIsFullIsToldOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		orphan bool
		says   string
	}{
		{"while it is driven", false, "journal_incomplete"},
		{"while nobody drives it", true, "nobody saw how it ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !inOwnMounts(t) {
				return
			}
			g := newGate(t)
			small(t, filepath.Join(g.home, "sandboxes"), 1<<20)
			g.run("run", "--detach", "--run-id", "r", "--thread", "t", "append starts\nsay before\nlines 300\nawait go\nlines 300\nexit 0").want(t, 0)
			g.waits()
			disk := filepath.Join(g.home, "sandboxes")
			free := fill(t, disk)
			if c.orphan {
				g.killDriver("r")
				g.pluginsGone()
			}
			// The file that it waits for needs none of the disk's bytes.
			g.letGo()
			until(t, patience, "the agent has ended", func() bool { return len(g.tree()) == 0 })
			if !c.orphan {
				until(t, patience, "the run has ended", func() bool { return len(g.named("drive r")) == 0 })
			}
			free()
			r := g.run("attach", "--json", "r")
			g.cleaned()
			if !strings.Contains(r.stdout, c.says) {
				t.Errorf("the log doesn't tell of %q:\n%s", c.says, r.stdout[max(0, len(r.stdout)-2000):])
			}
			if _, err := os.Stat(filepath.Join(g.root(), "starts")); err != nil {
				t.Error(err)
			}
		})
	}
}
