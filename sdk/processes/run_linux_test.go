package processes_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// newRunner is a sandbox of three fresh folders.
func newRunner(t *testing.T) *processes.Runner {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	dirs := map[string]string{}
	for _, name := range []string{"root", "home", "state"} {
		dirs[name] = filepath.Join(base, name)
		must(t, os.Mkdir(dirs[name], 0o700))
	}
	r, err := processes.Open(dirs["root"], dirs["home"], dirs["state"], []string{"PATH=" + os.Getenv("PATH"), "A=base", "B=base"})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		must(t, r.Close(ctx))
	})
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, r *processes.Runner, cmd sandbox.Command) sandbox.Process {
	t.Helper()
	if cmd.ID == "" {
		cmd.ID = "p"
	}
	p, err := r.Start(t.Context(), cmd)
	must(t, err)
	return p
}

func wait(t *testing.T, p sandbox.Process) sandbox.Exit {
	t.Helper()
	exit, err := p.Wait(t.Context())
	must(t, err)
	return exit
}

// watched is an output that a test waits for.
type watched struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	more chan struct{}
}

func watching() *watched { return &watched{more: make(chan struct{}, 1)} }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
	return w.buf.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// await waits until the output has a text.
func (w *watched) await(t *testing.T, text string) {
	t.Helper()
	patience := time.After(20 * time.Second)
	for !strings.Contains(w.String(), text) {
		select {
		case <-w.more:
		case <-patience:
			t.Fatalf("waited 20 s for %q in %q", text, w.String())
		}
	}
}

func TestACommandHasWhatItWasGiven(t *testing.T) {
	cases := []struct {
		name     string
		cmd      sandbox.Command
		out, err string // ROOT and HOME stand for the folders
		exit     sandbox.Exit
	}{
		{"both outputs, apart", sandbox.Command{Script: "echo out; echo err >&2"}, "out\n", "err\n", sandbox.Exit{}},
		{"its code", sandbox.Command{Script: "exit 7"}, "", "", sandbox.Exit{Code: 7}},
		{"its signal", sandbox.Command{Script: "kill -TERM $$"}, "", "", sandbox.Exit{Code: -1, Signal: 15, Reason: sandbox.ReasonSignaled}},
		{"arguments as they are", sandbox.Command{Argv: []string{"printf", "%s|", "a b", "$A", ""}}, "a b|$A||", "", sandbox.Exit{}},
		{"its folder", sandbox.Command{Script: "pwd; echo $PWD", Dir: "sub"}, "ROOT/sub\nROOT/sub\n", "", sandbox.Exit{}},
		{
			"its environment over the sandbox's",
			sandbox.Command{Script: "echo $A $B $C $HOME", Env: map[string]string{"B": "own", "C": "own"}},
			"base own own HOME\n", "",
			sandbox.Exit{},
		},
		{"an input to its end", sandbox.Command{Script: "cat; echo end", Stdin: strings.NewReader("in")}, "inend\n", "", sandbox.Exit{}},
		{"no input", sandbox.Command{Script: "cat; echo end"}, "end\n", "", sandbox.Exit{}},
		{"a program that isn't there", sandbox.Command{Argv: []string{"no-such-program"}}, "", "", sandbox.Exit{Code: 127}},
		{"a program that can't be run", sandbox.Command{Argv: []string{"/etc/passwd"}}, "", "", sandbox.Exit{Code: 126}},
		{
			"a script longer than an argument may be",
			sandbox.Command{Script: ": " + strings.Repeat("x", 200<<10) + "\necho end"},
			"end\n", "",
			sandbox.Exit{},
		},
		{"outputs of a detached one", sandbox.Command{Script: "echo out; echo err >&2", Detached: true}, "out\n", "err\n", sandbox.Exit{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			must(t, os.Mkdir(filepath.Join(r.Root, "sub"), 0o700))
			var out, errs bytes.Buffer
			c.cmd.Stdout, c.cmd.Stderr = &out, &errs
			p := start(t, r, c.cmd)
			exit := wait(t, p)
			if (exit.Message != "") != (p.PID() == -1) {
				t.Errorf("pid %d, message %q", p.PID(), exit.Message)
			}
			exit.Message = ""
			if c.exit.Reason == "" {
				c.exit.Reason = sandbox.ReasonExited
			}
			if diff := cmp.Diff(c.exit, exit); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			place := strings.NewReplacer("ROOT", r.Root, "HOME", r.Home)
			if want := place.Replace(c.out); out.String() != want {
				t.Errorf("stdout %q, want %q", out.String(), want)
			}
			if errs.String() != c.err {
				t.Errorf("stderr %q, want %q", errs.String(), c.err)
			}
			if left, _ := filepath.Glob(filepath.Join(r.StateDir, ".*-*")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			must(t, p.Close())
		})
	}
}

func TestWhatCannotBeStartedIsRefused(t *testing.T) {
	cases := []struct {
		name  string
		setup func(t *testing.T, r *processes.Runner)
		cmd   sandbox.Command
		class sandbox.Class
		say   string
	}{
		{"neither program nor script", nil, sandbox.Command{}, sandbox.Invalid, "p"},
		{"a folder that isn't there", nil, sandbox.Command{Script: ":", Dir: "none"}, sandbox.NotFound, "none"},
		{"a folder that is a file", func(t *testing.T, r *processes.Runner) {
			must(t, os.WriteFile(filepath.Join(r.Root, "file"), nil, 0o600))
		}, sandbox.Command{Script: ":", Dir: "file"}, sandbox.Invalid, "file is not a folder"},
		{"a terminal without anybody at it", nil, sandbox.Command{Script: ":", Detached: true, TTY: &sandbox.Size{Rows: 2, Cols: 2}}, sandbox.Invalid, "nobody at its terminal"},
		{"an id that is in use", func(t *testing.T, r *processes.Runner) {
			start(t, r, sandbox.Command{Script: "sleep 60"})
		}, sandbox.Command{Script: ":"}, sandbox.Conflict, "p"},
		{"a sandbox that was closed", func(t *testing.T, r *processes.Runner) { must(t, r.Close(t.Context())) }, sandbox.Command{Script: ":"}, sandbox.Gone, "was removed"},
		{"a sandbox that was removed", func(t *testing.T, r *processes.Runner) { must(t, os.RemoveAll(r.StateDir)) }, sandbox.Command{Script: ":"}, sandbox.Gone, "was removed"},
		{"a state folder that is a link", func(t *testing.T, r *processes.Runner) {
			must(t, os.Rename(r.StateDir, r.StateDir+"2"))
			must(t, os.Symlink(r.StateDir+"2", r.StateDir))
		}, sandbox.Command{Script: ":"}, sandbox.Gone, "was removed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			if c.setup != nil {
				c.setup(t, r)
			}
			c.cmd.ID = "p"
			p, err := r.Start(t.Context(), c.cmd)
			if err == nil || p != nil {
				t.Fatalf("got %v, %v", p, err)
			}
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v (%s), want %s with %q", err, sandbox.ClassOf(err), c.class, c.say)
			}
			if strings.Contains(err.Error(), "sleep") {
				t.Errorf("it tells a command: %v", err)
			}
		})
	}
}

// TestEachEndOfACommandEndsItsTree has each way in which one ends that would run
// on; a child of its own runs beside it.
func TestEachEndOfACommandEndsItsTree(t *testing.T) {
	const runs = "sleep 60 & echo running; sleep 60"
	cases := []struct {
		name string
		cmd  sandbox.Command
		end  func(t *testing.T, r *processes.Runner, p sandbox.Process, cancel func())
		want sandbox.ExitReason
	}{
		{"its context ends", sandbox.Command{Script: runs}, func(_ *testing.T, _ *processes.Runner, _ sandbox.Process, cancel func()) { cancel() }, sandbox.ReasonSignaled},
		{"it is closed", sandbox.Command{Script: runs}, func(t *testing.T, _ *processes.Runner, p sandbox.Process, _ func()) {
			must(t, p.Close())
			must(t, p.Close())
		}, sandbox.ReasonSignaled},
		{"it is killed", sandbox.Command{Script: runs}, func(t *testing.T, r *processes.Runner, _ sandbox.Process, _ func()) {
			must(t, r.Kill(t.Context(), "p", 0))
		}, sandbox.ReasonSignaled},
		{"a detached one is killed", sandbox.Command{Script: runs, Detached: true}, func(t *testing.T, r *processes.Runner, p sandbox.Process, cancel func()) {
			cancel()
			must(t, p.Close()) // neither ends it
			if l, err := r.Alive(t.Context(), "p"); l != sandbox.AliveYes || err != nil {
				t.Errorf("alive: %s, %v", l, err)
			}
			must(t, r.Kill(t.Context(), "p", 0))
		}, sandbox.ReasonSignaled},
		{"it gets a signal", sandbox.Command{Script: runs}, func(t *testing.T, _ *processes.Runner, p sandbox.Process, _ func()) {
			must(t, p.Signal(t.Context(), 9))
		}, sandbox.ReasonSignaled},
		{"its time is over", sandbox.Command{Script: runs, Timeout: 300 * time.Millisecond}, func(*testing.T, *processes.Runner, sandbox.Process, func()) {}, sandbox.ReasonTimedOut},
		{"its output is too long", sandbox.Command{Script: "sleep 60 & echo running; yes", MaxOutput: 100_000}, func(*testing.T, *processes.Runner, sandbox.Process, func()) {}, sandbox.ReasonOutputLimit},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := watching()
			c.cmd.ID, c.cmd.Stdout = "p", out
			p, err := r.Start(ctx, c.cmd)
			must(t, err)
			if c.cmd.Timeout == 0 {
				out.await(t, "running\n")
			}
			c.end(t, r, p, cancel)
			if exit := wait(t, p); exit.Reason != c.want {
				t.Errorf("got %+v, want %s", exit, c.want)
			}
			if l, err := r.Alive(t.Context(), "p"); l != sandbox.AliveNo && l != sandbox.AliveUnknown || err != nil {
				t.Errorf("alive: %s, %v", l, err)
			}
			if n := len(out.String()); c.cmd.MaxOutput > 0 && n != int(c.cmd.MaxOutput) {
				t.Errorf("%d bytes of output, want %d", n, c.cmd.MaxOutput)
			}
		})
	}
}

func TestWhatACommandLeavesRunningIsEndedAndToldOf(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	var out bytes.Buffer
	exit := wait(t, start(t, r, sandbox.Command{Script: "sleep 4321 & echo end", Stdout: &out}))
	if exit.Reason != sandbox.ReasonExited || exit.Code != 0 || !strings.Contains(exit.Left, "sleep 4321") || out.String() != "end\n" {
		t.Errorf("got %+v, %q", exit, out.String())
	}
	exit = wait(t, start(t, r, sandbox.Command{ID: "d", Script: "sleep 4321 & echo end", Detached: true}))
	if m, err := r.Forest.Members(t.Context(), "d"); exit.Left != "" || len(m) != 1 || err != nil {
		t.Errorf("a detached one: got %+v, there are %v, %v", exit, m, err)
	}
}

func TestWaitEndsWithWhoWaits(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	p := start(t, r, sandbox.Command{Script: "sleep 60"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if exit, err := p.Wait(ctx); !errors.Is(err, context.Canceled) || exit.Reason != sandbox.ReasonUnknown {
		t.Errorf("got %+v, %v", exit, err)
	}
	must(t, p.Close())
	wait(t, p)
	if exit, err := p.Wait(ctx); err != nil || exit.Reason != sandbox.ReasonSignaled {
		t.Errorf("its end isn't told to who comes late: %+v, %v", exit, err)
	}
}
