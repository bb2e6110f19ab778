//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestReadersOfAnUndrivenRunStartOneDriver has several readers come at once to a
// run whose driver is dead. Each starts a driver; one of them gets the run.
func TestReadersOfAnUndrivenRunStartOneDriver(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 5} {
		t.Run(fmt.Sprintf("%d readers", n), func(t *testing.T) {
			g := newGate(t)
			g.begin()
			g.waits()
			g.killDriver("r")
			g.pluginsGone()
			var readers []*started
			for range n {
				readers = append(readers, g.start("attach", "--json", "r"))
			}
			db := g.database()
			until(t, 20*time.Second, "a driver has taken the run", func() bool {
				return g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`) == 2
			})
			until(t, 20*time.Second, "the other drivers have given way", func() bool { return len(g.named("drive r")) == 1 })
			g.letGo()
			first := told(t, readers[0].ends().want(t, 3))
			for _, r := range readers[1:] {
				if diff := cmp.Diff(first, told(t, r.ends().want(t, 3))); diff != "" {
					t.Errorf("two readers see two logs:\n%s", clip(diff))
				}
			}
			g.cleaned()
			if epoch := g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`); epoch != 2 {
				t.Errorf("the run had %d drivers, want 2", epoch)
			}
			if n := strings.Count(g.file("starts"), "\n"); n != 1 {
				t.Errorf("the agent was started %d times", n)
			}
		})
	}
}

// sleepPast stops the run's driver and lets its lease run out, by the calendar:
// for whoever looks it is over, as after the lease's 15 s.
func (g *gate) sleepPast() process {
	g.t.Helper()
	drivers := g.named("drive r")
	if len(drivers) != 1 {
		g.t.Fatalf("the run has the drivers %v", drivers)
	}
	g.stop(drivers[0].pid)
	if _, err := g.database().ExecContext(g.t.Context(), `UPDATE runs SET lease_until = lease_until - 60000 WHERE id = 'r'`); err != nil {
		g.t.Fatal(err)
	}
	return drivers[0]
}

// stop stops a process, at a moment when it doesn't hold the store's lock.
func (g *gate) stop(pid int) {
	g.t.Helper()
	db := g.database()
	until(g.t, 20*time.Second, "the driver is stopped and the store is free", func() bool {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			g.t.Fatal(err)
		}
		until(g.t, 5*time.Second, "it stands", func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err == nil && strings.Contains(string(stat), ") T ")
		})
		_, err := db.ExecContext(g.t.Context(), `PRAGMA busy_timeout = 100; BEGIN IMMEDIATE; ROLLBACK`)
		if err != nil {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
		return err == nil
	})
}

// TestADriverThatSleptPastItsLeaseIsReplacedAndHarmsNobody wakes the old driver
// in the middle of its successor's work, its idle clock gone off: it wants to end
// the agent, and to tell of that. Alone, as that clock mustn't go off too early.
func TestADriverThatSleptPastItsLeaseIsReplacedAndHarmsNobody(t *testing.T) {
	begin := func() *gate {
		g := newGate(t)
		g.edit("harness  = harness.minimal.m", "harness  = harness.minimal.m\n  timeouts { idle = \"6s\" }")
		g.run("run", "--detach", "--run-id", "r", "--thread", "t", stepwise()).want(t, 0)
		g.step(0)
		return g
	}
	g := begin()
	for i := range steps {
		g.step(i)
	}
	want := g.finish()

	g = begin()
	db := g.database()
	until(t, 20*time.Second, "the first step is in the log", func() bool { return g.logged(db) >= stepLines })
	old := g.sleepPast()
	reader := g.start("attach", "r")
	until(t, 40*time.Second, "another driver has taken the run", func() bool {
		return g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`) == 2
	})
	g.step(1)
	until(t, 20*time.Second, "the other driver follows the agent", func() bool { return g.logged(db) >= 2*stepLines })
	if err := syscall.Kill(old.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	polls := 0
	until(t, 20*time.Second, "the old driver leaves", func() bool {
		if polls++; polls%100 == 0 && polls/100 < steps { // the idle clock of the new one must not go off
			g.step(polls / 100)
		}
		return len(g.named("drive r")) == 1
	})
	if left := g.tree(); len(left) == 0 {
		t.Error("the old driver has ended the agent")
	}
	for i := range steps {
		g.step(i)
	}
	reader.ends().want(t, 3)
	if diff := cmp.Diff(want, g.finish()); diff != "" {
		t.Errorf("the log differs from that of a run that nobody disturbed:\n%s", clip(diff))
	}
}

// TestADriverThatSleptWithTheMachineKeepsItsRun is the closed laptop: the
// calendar has gone on, the driver's lease is over, and it wakes to renew it.
func TestADriverThatSleptWithTheMachineKeepsItsRun(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.begin()
	g.waits()
	db := g.database()
	driver := g.sleepPast()
	reader := g.start("attach", "--json", "r")
	until(t, 20*time.Second, "the reader starts another driver", func() bool { return len(g.named("drive r")) == 2 })
	if err := syscall.Kill(driver.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, 20*time.Second, "the other one gives way", func() bool {
		all := g.named("drive r")
		return len(all) == 1 && all[0].pid == driver.pid
	})
	g.letGo()
	told(t, reader.ends().want(t, 3))
	g.cleaned()
	if epoch := g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`); epoch != 1 {
		t.Errorf("the run had %d drivers, want the one", epoch)
	}
}

// TestAStaleDriverRemovesNoSandbox wakes a driver whose lease has run out while
// it was about to destroy what its successor uses.
func TestAStaleDriverRemovesNoSandbox(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.edit("harness  = harness.minimal.m", "harness  = harness.minimal.m\n  lifecycle { reuse = \"none\" }")
	g.hold("before create")
	g.begin()
	g.await()
	old := g.sleepPast() // in the middle of making the sandbox
	if _, err := g.database().ExecContext(t.Context(), `UPDATE leases SET until = until - 60000`); err != nil {
		t.Fatal(err)
	}
	g.open()
	reader := g.start("attach", "--json", "r")
	g.waits()
	if err := syscall.Kill(old.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, 20*time.Second, "the old driver leaves", func() bool { return len(g.named("drive r")) == 1 })
	if _, err := os.Stat(filepath.Join(g.root(), "starts")); err != nil {
		t.Errorf("the sandbox of its successor: %v", err)
	}
	g.letGo()
	told(t, reader.ends().want(t, 3))
	g.cleaned()
}
