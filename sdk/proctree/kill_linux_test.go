package proctree

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// quiet is how long a killed tree is watched: eight heartbeats.
const quiet = 80 * time.Millisecond

func TestHundredKills(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		var wg sync.WaitGroup
		work := make(chan int)
		for range 4 {
			wg.Go(func() {
				for i := range work {
					killOnce(t, f, i)
				}
			})
		}
		for i := range 100 {
			work <- i
		}
		close(work)
		wg.Wait()
		noTrace(t, f, "", f.dir)
	})
}

// killOnce kills a tree at a random moment: every fourth while it is being
// started, the others after all heartbeats were seen; every second from
// another process.
func killOnce(t *testing.T, f *Forest, i int) {
	id := fmt.Sprintf("tree %d", i)
	beats := filepath.Join(t.TempDir(), "beats")
	if err := os.Mkdir(beats, 0o700); err != nil {
		t.Error(err)
		return
	}
	started := make(chan error, 1)
	go func() {
		_, err := f.Start(t.Context(), shell(id, leakcheck.Script, beats))
		started <- err
	}()
	if i%4 == 0 {
		eventuallyNot(t, func() bool { _, err := os.Stat(f.recordPath(id)); return err == nil })
	} else if err := leakcheck.Await(deadline(t, 30*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
		t.Error(err)
	}
	_ = pause(t.Context(), time.Duration(rand.IntN(10_000))*time.Microsecond)
	var err error
	if i%2 == 0 {
		err = another(t, "kill", f, id).Run()
	} else {
		err = f.Kill(t.Context(), id, time.Duration(rand.IntN(30))*time.Millisecond)
	}
	if err != nil {
		t.Errorf("kill %d: %v", i, err)
	}
	if err := <-started; err != nil {
		t.Errorf("start %d: %v", i, err)
	}
	live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), quiet)
	if err != nil || len(live) > 0 {
		t.Errorf("kill %d left %q %v", i, live, err)
	}
	if procs, err := leakcheck.Processes(beats); err != nil || len(procs) > 0 {
		t.Errorf("kill %d left %v %v", i, procs, err)
	}
}

// eventuallyNot is eventually for goroutines, which can't end a test.
func eventuallyNot(t *testing.T, cond func() bool) {
	for end := time.Now().Add(20 * time.Second); !cond(); {
		if time.Now().After(end) || pause(t.Context(), 50*time.Microsecond) != nil {
			t.Error("the condition never came true")
			return
		}
	}
}

func TestPlantedLeak(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		beats := t.TempDir()
		start(t, f, "p", leakcheck.Script, beats, "planted")
		names := append(leakcheck.Names(), leakcheck.Planted)
		if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), names...); err != nil {
			t.Fatal(err)
		}
		if err := f.Kill(t.Context(), "p", 0); err != nil {
			t.Fatal(err)
		}
		live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 5*quiet)
		if err != nil {
			t.Fatal(err)
		}
		procs, err := leakcheck.Processes(beats)
		if err != nil {
			t.Fatal(err)
		}
		if f.Scope() == ScopeCgroup {
			if len(live) > 0 || len(procs) > 0 {
				t.Errorf("the cgroup let %q %v escape", live, procs)
			}
			return
		}
		for _, p := range procs {
			if err := send(identOf(t, p.PID), 9); err != nil {
				t.Error(err)
			}
		}
		if len(live) != 1 || live[0] != leakcheck.Planted || len(procs) != 1 {
			t.Errorf("the leak check found %q %v, want the planted leak alone", live, procs)
		}
	})
}

func TestMembersWithoutMark(t *testing.T) {
	const beat = `while :; do printf . >>"$0" || exit; sleep 0.01; done`
	tests := []struct{ name, script string }{
		{"in a session of its own, under a parent that lives", `sh -c 'env -i PATH="$PATH" setsid sh -c "$1" "$0" & wait' "$1" "$2" & wait`},
		{"in the leader's session, its parent has left", `(env -i PATH="$PATH" sh -c "$2" "$1" &); exec sleep 100`},
		{"in a session of the tree, its parent has left", `setsid sh -c '(env -i PATH="$PATH" sh -c "$1" "$0" &); exec sleep 100' "$1" "$2" & wait`},
		{"in the leader's session, and the leader has left", `env -i PATH="$PATH" sh -c "$2" "$1" &`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, t.TempDir(), Options{MarksOnly: true})
			beats := t.TempDir()
			start(t, f, "p", tt.script, beats+"/it", beat)
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), "it"); err != nil {
				t.Fatal(err)
			}
			if err := f.Kill(t.Context(), "p", 0); err != nil {
				t.Fatal(err)
			}
			if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), quiet); err != nil || len(live) > 0 {
				t.Errorf("left %q %v", live, err)
			}
			noTrace(t, f, "p", beats)
		})
	}
}

func TestKillCatchesWhatHops(t *testing.T) {
	// Each process leaves a successor in a session of its own and goes: no scan
	// sees more than a moment of it. A cgroup holds the fastest; marks need them
	// to last some milliseconds.
	const hop = `printf . >>"$1" || exit; setsid sh -c "$0" "$0" "$1" "$2" & [ -z "$2" ] || sleep "$2"`
	life := map[Scope]string{ScopeCgroup: "", ScopeMark: "0.005"}
	eachScope(t, func(t *testing.T, f *Forest) {
		for i := range 10 {
			beats, id := t.TempDir(), fmt.Sprint(i)
			start(t, f, id, `exec sh -c "$2" "$2" "$1" "$3"`, beats+"/it", hop, life[f.Scope()])
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), "it"); err != nil {
				t.Fatal(err)
			}
			if err := f.Kill(t.Context(), id, 0); err != nil {
				t.Fatal(err)
			}
			if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), quiet); err != nil || len(live) > 0 {
				t.Errorf("left %q %v", live, err)
			}
			noTrace(t, f, id, beats)
		}
	})
}

func identOf(t *testing.T, pid int) ident {
	t.Helper()
	p, ok := probe(pid)
	if !ok {
		t.Fatalf("no process %d", pid)
	}
	return p.ident
}

func TestKillDuringStart(t *testing.T) {
	for _, from := range []string{"this process", "another process"} {
		t.Run("from "+from, func(t *testing.T) {
			eachScope(t, func(t *testing.T, f *Forest) {
				beats := t.TempDir()
				killed := make(chan error, 1)
				f.beforeFork = func() {
					issued := make(chan struct{})
					go func() {
						if from == "this process" {
							close(issued)
							killed <- f.Kill(t.Context(), "p", 0)
							return
						}
						cmd := another(t, "kill", f, "p")
						err := cmd.Start()
						close(issued)
						killed <- errors.Join(err, cmd.Wait())
					}()
					<-issued
					_ = pause(t.Context(), 30*time.Millisecond) // it has met the lock by now
				}
				tree, err := f.Start(t.Context(), shell("p", leakcheck.Script, beats))
				if err != nil {
					t.Fatal(err)
				}
				if err := <-killed; err != nil {
					t.Fatal(err)
				}
				if exit := wait(t, tree); exit.Signal != 9 {
					t.Errorf("exit %+v, want signal 9", exit)
				}
				if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), quiet); err != nil || len(live) > 0 {
					t.Errorf("left %q %v", live, err)
				}
				noTrace(t, f, "p", beats)
			})
		})
	}
}

func TestKillGivesGrace(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		done := filepath.Join(t.TempDir(), "done")
		tree := start(t, f, "p", `trap 'sleep 0.1; : >"$1"; exit 5' TERM; : >"$1.ready"; while :; do sleep 0.01; done`, done)
		eventually(t, "the trap is set", func() bool { _, err := os.Stat(done + ".ready"); return err == nil })
		if err := f.Kill(t.Context(), "p", 20*time.Second); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(done); err != nil {
			t.Errorf("the trap didn't finish: %v", err)
		}
		if exit := wait(t, tree); exit.Code != 5 {
			t.Errorf("exit %+v", exit)
		}
		noTrace(t, f, "p", done)
	})
}

func TestKillStopped(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		tree := start(t, f, "p", "kill -STOP $$")
		eventually(t, "it has stopped", func() bool { p, _ := probe(tree.PID()); return p.state == 'T' })
		if l, err := f.Alive(t.Context(), "p"); l != Yes || err != nil {
			t.Errorf("a stopped process is alive: %v %v", l, err)
		}
		if err := f.Kill(t.Context(), "p", time.Millisecond); err != nil {
			t.Fatal(err)
		}
		noTrace(t, f, "p", f.token("p"))
	})
}

func TestKillNothing(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		for range 2 {
			if err := f.Kill(t.Context(), "never was", time.Second); err != nil {
				t.Error(err)
			}
		}
		noTrace(t, f, "never was", f.dir)
	})
}

func TestKillSparesOthers(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		other := open(t, t.TempDir(), Options{MarksOnly: f.cgroup == ""})
		outer, sameDir, sameID := t.TempDir(), t.TempDir(), t.TempDir()
		start(t, f, "other id", leakcheck.Script, sameDir)
		start(t, other, "p", leakcheck.Script, sameID)
		start(t, f, "p", leakcheck.Script, outer)
		for _, dir := range []string{outer, sameDir, sameID} {
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(dir), leakcheck.Names()...); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Kill(t.Context(), "p", 0); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{sameDir, sameID} {
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(dir), leakcheck.Names()...); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestNestedTrees(t *testing.T) {
	for _, victim := range []string{"outer", "inner"} {
		t.Run("kill the "+victim, func(t *testing.T) {
			eachScope(t, func(t *testing.T, f *Forest) {
				inner := open(t, t.TempDir(), Options{MarksOnly: f.cgroup == ""})
				outerBeats, innerBeats := t.TempDir(), t.TempDir()
				// A process of the outer tree is a plugin that starts the inner tree and leaves.
				start(t, f, "outer", `
					PROCTREE_TEST_HELPER=start "$2" "$3" inner "$4" sh -c "$5" sh "$6" || exit 9
					exec sh -c "$5" sh "$1"`,
					outerBeats, os.Args[0], inner.dir, string(f.Scope()), leakcheck.Script, innerBeats)
				for _, dir := range []string{outerBeats, innerBeats} {
					if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(dir), leakcheck.Names()...); err != nil {
						t.Fatal(err)
					}
				}
				if victim == "inner" {
					if err := inner.Kill(t.Context(), "inner", 0); err != nil {
						t.Fatal(err)
					}
					if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(outerBeats), leakcheck.Names()...); err != nil {
						t.Error(err)
					}
				} else if err := f.Kill(t.Context(), "outer", 0); err != nil {
					t.Fatal(err)
				}
				live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(innerBeats), quiet)
				if err != nil || len(live) > 0 {
					t.Errorf("inner tree left %q %v", live, err)
				}
				if err := inner.Kill(t.Context(), "inner", 0); err != nil {
					t.Error(err)
				}
				noRecord(t, inner)
			})
		})
	}
}
