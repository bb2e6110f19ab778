package proctree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// The test program run again is another plugin process.
const asHelper = "PROCTREE_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(asHelper) {
	case "":
		os.Exit(m.Run())
	case "kill", "start", "start-bound", "alive", "hold", "kill-all-but", "close-all-but":
		if err := helper(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func helper(ctx context.Context) error {
	if os.Getenv(asHelper) == "hold" {
		return hold(os.Args[1])
	}
	dir, id, marksOnly := os.Args[1], os.Args[2], os.Args[3] == "mark"
	f, err := Open(dir, Options{MarksOnly: marksOnly})
	if err != nil {
		return err
	}
	switch os.Getenv(asHelper) {
	case "kill":
		return f.Kill(ctx, id, 0)
	case "kill-all-but", "close-all-but":
		return allBut(ctx, f, id, os.Args[4])
	case "alive":
		l, err := f.Alive(ctx, id)
		fmt.Println(l)
		return err
	}
	_, err = f.Start(ctx, Spec{ID: id, Argv: os.Args[4:], Env: os.Environ(), Bound: os.Getenv(asHelper) == "start-bound"})
	return err
}

// another runs the verb in another process.
func another(t *testing.T, verb string, f *Forest, id string, argv ...string) *exec.Cmd {
	t.Helper()
	args := append([]string{f.dir, id, string(f.Scope())}, argv...)
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asHelper+"="+verb)
	cmd.Stderr = os.Stderr
	return cmd
}

// eachScope runs the test with and without cgroups.
func eachScope(t *testing.T, test func(t *testing.T, f *Forest)) {
	t.Helper()
	for _, o := range []Options{{}, {MarksOnly: true}} {
		f := open(t, t.TempDir(), o)
		if f.Scope() == ScopeMark && !o.MarksOnly {
			t.Log("no cgroup v2 can be made here: its half of the test is not run")
			continue
		}
		t.Run("held by "+string(f.Scope()), func(t *testing.T) { test(t, f) })
	}
}

func open(t *testing.T, dir string, o Options) *Forest {
	t.Helper()
	f, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// start starts an sh script and makes sure that it ends with the test.
func start(t *testing.T, f *Forest, id, script string, args ...string) *Tree {
	t.Helper()
	tree, err := f.Start(t.Context(), shell(id, script, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Kill(context.Background(), id, 0); err != nil {
			t.Error(err)
		}
	})
	return tree
}

func shell(id, script string, args ...string) Spec {
	return Spec{ID: id, Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: os.Environ()}
}

func wait(t *testing.T, tree *Tree) Exit {
	t.Helper()
	exit, err := tree.Wait(deadline(t, 20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls until cond is true.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx := deadline(t, 20*time.Second)
	for !cond() {
		if pause(ctx, time.Millisecond) != nil {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// noTrace fails if a process with word, a zombie of ours, a record or a
// cgroup of id is left.
func noTrace(t *testing.T, f *Forest, id, word string) {
	t.Helper()
	procs, err := leakcheck.Processes(word)
	if err != nil || len(procs) > 0 {
		t.Errorf("processes left: %v %v", procs, err)
	}
	zombies, err := leakcheck.Zombies(os.Getpid())
	if err != nil || len(zombies) > 0 {
		t.Errorf("zombies of ours: %v %v", zombies, err)
	}
	noRecord(t, f)
	if f.cgroup != "" {
		if _, err := os.Stat(filepath.Join(f.cgroup, cgroupPrefix+f.token(id))); !os.IsNotExist(err) {
			t.Errorf("cgroup left: %v", err)
		}
	}
}

func noRecord(t *testing.T, f *Forest) {
	t.Helper()
	entries, err := os.ReadDir(f.recordDir())
	if err != nil && !os.IsNotExist(err) || len(entries) > 0 {
		t.Errorf("records left: %v %v", entries, err)
	}
}
