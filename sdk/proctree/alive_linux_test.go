package proctree

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAlive(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		alive := func(id string) Liveness {
			t.Helper()
			here, err := f.Alive(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			out, err := another(t, "alive", f, id).Output()
			if err != nil || strings.TrimSpace(string(out)) != here.String() {
				t.Errorf("another process says %q %v, this one %v", out, err, here)
			}
			return here
		}
		if got := alive("p"); got != No {
			t.Errorf("never started: %v", got)
		}
		go_ := filepath.Join(t.TempDir(), "go")
		tree := start(t, f, "p", `setsid sleep 100 & until [ -e "$1" ]; do sleep 0.01; done`, go_)
		if got := alive("p"); got != Yes {
			t.Errorf("running: %v", got)
		}
		awaitMember(t, f, "p", "sleep 100")
		if err := os.WriteFile(go_, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if wait(t, tree); !tree.Leftovers() {
			t.Error("the sleep wasn't noticed")
		}
		if got := alive("p"); got != No {
			t.Errorf("ended, with a leftover: %v", got)
		}
		left, err := f.Sweep(t.Context(), "p")
		if err != nil || len(left) != 1 || left[0].Command != "sleep 100" {
			t.Errorf("swept %+v %v, want the sleep alone", left, err)
		}
		noTrace(t, f, "p", f.token("p"))
	})
}

// awaitMember waits until a tree has a member of that command line: a shell may
// have forked it and not come to the exec yet.
func awaitMember(t *testing.T, f *Forest, id, command string) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		members, err := f.Members(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(members, func(m Member) bool { return m.Command == command }) {
			return
		}
		select {
		case <-deadline.C:
			t.Fatalf("no %q in %+v", command, members)
		case <-tick.C:
		}
	}
}

func TestAliveOfZombie(t *testing.T) {
	// A child that nobody reaps, under a record of ours.
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := open(t, t.TempDir(), Options{MarksOnly: true})
	rec := record{ID: []byte("p"), Boot: bootID()}
	id := identOf(t, cmd.Process.Pid)
	rec.PID, rec.Start = id.PID, id.Start
	plant(t, f, "p", rec)
	awaitExit(id.PID)
	if p, _ := probe(id.PID); p.state != 'Z' {
		t.Fatalf("state %c", p.state)
	}
	if got, err := f.Alive(t.Context(), "p"); got != No || err != nil {
		t.Errorf("zombie: %v %v", got, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// plant writes a record as a plugin that died would have left it.
func plant(t *testing.T, f *Forest, id string, rec record) {
	t.Helper()
	data, err := json.Marshal(rec)
	if err == nil {
		err = os.Mkdir(f.recordDir(), 0o700)
	}
	if err == nil {
		err = os.WriteFile(f.recordPath(id), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestStaleRecords(t *testing.T) {
	bystander := exec.CommandContext(t.Context(), "setsid", "sleep", "100")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	pid := bystander.Process.Pid
	eventually(t, "it leads a session", func() bool { p, _ := probe(pid); return p.sid == pid })
	start := identOf(t, pid).Start
	tests := []struct {
		name string
		rec  record
	}{
		{"the starter died before the fork", record{ID: []byte("p"), Boot: bootID()}},
		{"the pid is of a later process", record{ID: []byte("p"), Boot: bootID(), PID: pid, Start: start - 1}},
		{"the pid is of another boot", record{ID: []byte("p"), Boot: "earlier", PID: pid, Start: start}},
		{"it names init", record{ID: []byte("p"), Boot: bootID(), PID: 1, Start: identOf(t, 1).Start}},
		{"it names this process", record{ID: []byte("p"), Boot: bootID(), PID: os.Getpid(), Start: identOf(t, os.Getpid()).Start}},
		{"it names our parent", record{ID: []byte("p"), Boot: bootID(), PID: os.Getppid(), Start: identOf(t, os.Getppid()).Start}},
		{"it is torn", record{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, verb := range []string{"Kill", "Alive", "Start"} {
				f := open(t, t.TempDir(), Options{MarksOnly: true})
				plant(t, f, "p", tt.rec)
				if tt.rec.ID == nil {
					if err := os.WriteFile(f.recordPath("p"), []byte(`{"id":"cA`), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				ours := strings.HasPrefix(tt.name, "it names")
				switch verb {
				case "Kill":
					if err := f.Kill(t.Context(), "p", 0); err != nil {
						t.Error(err)
					}
					noRecord(t, f)
				case "Alive":
					got, err := f.Alive(t.Context(), "p")
					if err != nil || got != No && !ours {
						t.Errorf("alive: %v %v", got, err)
					}
				case "Start":
					tree, err := f.Start(t.Context(), shell("p", "exit 3"))
					if err != nil {
						t.Fatal(err)
					}
					if exit := wait(t, tree); exit.Code != 3 {
						t.Errorf("exit %+v", exit)
					}
					noRecord(t, f)
				}
			}
			if p, ok := probe(pid); !ok || p.Start != start || p.state == 'T' || !p.living() {
				t.Errorf("the bystander was touched: %+v", p)
			}
		})
	}
	if err := errors.Join(bystander.Process.Kill(), bystander.Wait()); err == nil {
		t.Error("the bystander had ended by itself")
	}
}

func TestStarterKilledBeforeRecord(t *testing.T) {
	// The fork has happened, the pid was never written: the marks alone find it.
	eachScope(t, func(t *testing.T, f *Forest) {
		tree := start(t, f, "p", "setsid sleep 100 & exec sleep 100")
		h, err := f.hold(t.Context(), "p")
		if err != nil || h == nil {
			t.Fatal(h, err)
		}
		if err := h.write(record{ID: []byte("p"), Boot: bootID()}); err != nil {
			t.Fatal(err)
		}
		h.release()
		if got, err := f.Alive(t.Context(), "p"); got != Unknown || err != nil {
			t.Errorf("alive: %v %v", got, err)
		}
		if err := f.Kill(t.Context(), "p", 0); err != nil {
			t.Fatal(err)
		}
		wait(t, tree)
		noTrace(t, f, "p", f.token("p"))
	})
}

func TestLockedRecordIsWaitedForUntilContextEnds(t *testing.T) {
	f := open(t, t.TempDir(), Options{MarksOnly: true})
	plant(t, f, "p", record{ID: []byte("p"), Boot: bootID()})
	h, err := f.hold(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer h.release()
	if got, err := f.Alive(deadline(t, 20*time.Millisecond), "p"); got != Unknown || err == nil {
		t.Errorf("alive: %v %v", got, err)
	}
	if err := f.Kill(deadline(t, 20*time.Millisecond), "p", 0); err == nil {
		t.Error("kill said that it had killed")
	}
	if err := unix.Flock(int(h.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Error(err)
	}
}
