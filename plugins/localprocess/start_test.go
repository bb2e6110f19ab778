package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestExit(t *testing.T) {
	tests := []struct {
		name string
		cmd  sandbox.Command
		want sandbox.Exit
	}{
		{"exit 3 is 3", sandbox.Command{Script: "exit 3"}, sandbox.Exit{Code: 3, Reason: sandbox.ReasonExited}},
		{"a signal is a signal", sandbox.Command{Script: "kill -9 $$"}, sandbox.Exit{Code: -1, Signal: 9, Reason: sandbox.ReasonSignaled}},
		{"no such program is 127", sandbox.Command{Argv: []string{"no-such"}}, sandbox.Exit{Code: 127, Reason: sandbox.ReasonExited}},
		{"no program is 126", sandbox.Command{Argv: []string{"/etc/passwd"}}, sandbox.Exit{Code: 126, Reason: sandbox.ReasonExited}},
		{"the timeout kills", sandbox.Command{Script: `trap "" TERM; while :; do sleep 0.01; done`, Timeout: 50 * time.Millisecond}, sandbox.Exit{Code: -1, Signal: 9, Reason: sandbox.ReasonTimedOut}},
		{
			"the output limit kills what outlives its parent too, and calls it no leftover",
			sandbox.Command{Script: `sh -c 'trap "" TERM; : >ready; while :; do sleep 0.01; done' & while [ ! -e ready ]; do sleep 0.01; done; exec yes`, MaxOutput: 10_000},
			sandbox.Exit{Code: -1, Signal: 15, Reason: sandbox.ReasonOutputLimit},
		},
		{"the output limit kills", sandbox.Command{Script: "yes; sleep 100", MaxOutput: 10_000}, sandbox.Exit{Code: -1, Signal: 15, Reason: sandbox.ReasonOutputLimit}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t)
			got := run(t, b, tt.cmd)
			if got.exit.Code > 125 != (got.exit.Message != "") {
				t.Errorf("message %q", got.exit.Message)
			}
			got.exit.Message = ""
			if diff := cmp.Diff(tt.want, got.exit); diff != "" {
				t.Error(diff)
			}
			if n := int64(len(got.stdout)); tt.cmd.MaxOutput > 0 && n != tt.cmd.MaxOutput {
				t.Errorf("%d bytes of output, want %d", n, tt.cmd.MaxOutput)
			}
			clean(t, b)
		})
	}
}

func TestOutputLimitCountsAlsoWhatEndsByItself(t *testing.T) {
	b := newBox(t)
	tests := []struct {
		name   string
		max    int64
		reason sandbox.ExitReason
	}{
		{"as much as allowed", 10, sandbox.ReasonExited},
		{"one more", 9, sandbox.ReasonOutputLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, b, sandbox.Command{Script: "printf 12345; printf 67890 >&2", MaxOutput: tt.max})
			if got.exit.Reason != tt.reason || int64(len(got.stdout+got.stderr)) != tt.max {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestStartRefusals(t *testing.T) {
	b := newBox(t)
	file := filepath.Join(b.info.Root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		cmd   sandbox.Command
		class sandbox.Class
		word  string
	}{
		{"a folder that is missing", sandbox.Command{ID: "p", Script: ":", Dir: "no/such"}, sandbox.NotFound, "no/such"},
		{"a folder that is a file", sandbox.Command{ID: "p", Script: ":", Dir: "file"}, sandbox.Invalid, "file"},
		{"neither argv nor script", sandbox.Command{ID: "p"}, sandbox.Invalid, "argv"},
		{"both argv and script", sandbox.Command{ID: "p", Argv: []string{"true"}, Script: ":"}, sandbox.Invalid, "argv"},
		{"no id", sandbox.Command{Script: ":"}, sandbox.Invalid, "id"},
		{"a variable without a name", sandbox.Command{ID: "p", Script: ":", Env: map[string]string{"A=B": "c"}}, sandbox.Invalid, "A=B"},
		{"an argument too long for the kernel", sandbox.Command{ID: "p", Argv: []string{"echo", strings.Repeat("x", 200<<10)}}, sandbox.Invalid, "too long"},
		{"an unknown user", sandbox.Command{ID: "p", Script: ":", User: "no-such-user"}, sandbox.Invalid, "no-such-user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.Start(t.Context(), tt.cmd)
			wantClass(t, err, tt.class, tt.word)
			clean(t, b)
		})
	}
	t.Run("an id in use", func(t *testing.T) {
		p := begin(t, b, sandbox.Command{Script: "sleep 100"})
		_, err := b.Start(t.Context(), sandbox.Command{ID: "p", Script: ":"})
		wantClass(t, err, sandbox.Conflict)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestStreams(t *testing.T) {
	b := newBox(t)
	t.Run("without stdin there is end of file at once", func(t *testing.T) {
		if got := run(t, b, sandbox.Command{Script: "cat; echo end"}); got.stdout != "end\n" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("output goes on after the end of stdin, apart and in any bytes", func(t *testing.T) {
		in := make([]byte, 3<<20)
		_, _ = rand.Read(in)
		got := run(t, b, sandbox.Command{Script: `tee /dev/stderr; sleep 0.05; echo after; printf '\377\000' >&2`, Stdin: bytes.NewReader(in)})
		if got.stdout != string(in)+"after\n" || got.stderr != string(in)+"\xff\x00" {
			t.Errorf("%d and %d bytes, exit %+v", len(got.stdout), len(got.stderr), got.exit)
		}
	})
	t.Run("a stdin that blocks or breaks is no end of file and is abandoned", func(t *testing.T) {
		r, w := io.Pipe()
		p := begin(t, b, sandbox.Command{Script: "sleep 0.05; exit 3", Stdin: r})
		if exit := wait(t, p); exit.Code != 3 {
			t.Errorf("%+v", exit)
		}
		_ = w.CloseWithError(errors.New("broken"))
	})
	t.Run("a slow reader blocks the process", func(t *testing.T) {
		progress := filepath.Join(t.TempDir(), "progress")
		gate := &gated{open: make(chan struct{})}
		p := begin(t, b, sandbox.Command{
			Script: `for i in 1 2 3 4; do head -c 100000 /dev/zero; echo $i >"$P"; done`,
			Env:    map[string]string{"P": progress}, Stdout: gate,
		})
		eventually(t, "the first write", func() bool { return gate.entered() })
		ctx := deadline(t, 100*time.Millisecond)
		if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended: %v", err)
		}
		if got, _ := os.ReadFile(progress); string(got) > "2\n" {
			t.Errorf("it went on to %q", got)
		}
		close(gate.open)
		if exit := wait(t, p); exit.Code != 0 || gate.n != 400_000 {
			t.Errorf("%+v, %d bytes", exit, gate.n)
		}
	})
	t.Run("a background child that keeps the pipe holds nothing up and is killed", func(t *testing.T) {
		begun := time.Now()
		word := fmt.Sprintf("123.%d", os.Getpid())
		got := run(t, b, sandbox.Command{Script: "setsid sleep " + word + " & echo out"})
		if got.stdout != "out\n" || got.exit.Code != 0 || time.Since(begun) > 5*time.Second {
			t.Errorf("%+v after %v", got, time.Since(begun))
		}
		if left, err := leakcheck.Processes(word); err != nil || len(left) > 0 {
			t.Errorf("left: %v %v", left, err)
		}
	})
	t.Run("one that writes for ever doesn't either", func(t *testing.T) {
		got := run(t, b, sandbox.Command{Script: "yes & exit 5"})
		if got.exit.Code != 5 {
			t.Errorf("%+v", got.exit)
		}
	})
	t.Run("a writer that fails discards the rest", func(t *testing.T) {
		p := begin(t, b, sandbox.Command{Script: "head -c 1000000 /dev/zero; exit 4", Stdout: broken{}})
		if exit := wait(t, p); exit.Code != 4 {
			t.Errorf("%+v", exit)
		}
	})
	t.Run("a script longer than an argument may be", func(t *testing.T) {
		got := run(t, b, sandbox.Command{Script: "echo begun\n" + strings.Repeat("# filler\n", 30_000) + "echo ended; ls -A ../state"})
		if got.stdout != "begun\nended\nowner.json\nprocs\n" {
			t.Errorf("%+v", got)
		}
	})
	clean(t, b)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// gated blocks until it is opened.
type gated struct {
	output
	open chan struct{}
	in   bool
	n    int
}

func (g *gated) entered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

func (g *gated) Write(b []byte) (int, error) {
	g.mu.Lock()
	g.in = true
	g.mu.Unlock()
	<-g.open
	g.n += len(b)
	return len(b), nil
}

func TestTreeEnds(t *testing.T) {
	tests := []struct {
		name string
		end  func(t *testing.T, b *box, p sandbox.Process, cancel func())
	}{
		{"when the context ends", func(_ *testing.T, _ *box, _ sandbox.Process, cancel func()) { cancel() }},
		{"when it is closed", func(t *testing.T, _ *box, p sandbox.Process, _ func()) {
			for range 2 {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}},
		{"when it is killed by its id", func(t *testing.T, b *box, _ sandbox.Process, _ func()) {
			if err := b.Kill(t.Context(), "p", 0); err != nil {
				t.Error(err)
			}
		}},
		{"when its leader dies", func(t *testing.T, _ *box, p sandbox.Process, _ func()) {
			if err := p.Signal(t.Context(), 9); err != nil {
				t.Error(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, beats := newBox(t), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, err := b.Start(ctx, sandbox.Command{ID: "p", Argv: []string{"sh", "-c", leakcheck.Script, "sh", beats}, Stdout: &output{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
				t.Fatal(err)
			}
			tt.end(t, b, p, cancel)
			if exit := wait(t, p); exit.Reason != sandbox.ReasonSignaled {
				t.Errorf("%+v", exit)
			}
			if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 100*time.Millisecond); err != nil || len(live) > 0 {
				t.Errorf("left %q %v", live, err)
			}
			clean(t, b)
		})
	}
}

func TestDetached(t *testing.T) {
	b, beats := newBox(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout output
	p, err := b.Start(ctx, sandbox.Command{
		ID: "p", Script: `sh -c "$S" sh "$D" & while :; do echo out; sleep 0.01; done`, Detached: true, Stdout: &stdout,
		Env: map[string]string{"S": leakcheck.Script, "D": beats},
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "its output arrives", func() bool { return strings.Count(stdout.String(), "out\n") > 2 })
	cancel()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
		t.Errorf("it didn't outlive context and Close: %v", err)
	}
	if l, err := b.Alive(t.Context(), "p"); l != sandbox.AliveYes || err != nil {
		t.Errorf("alive: %v %v", l, err)
	}
	if err := b.Kill(t.Context(), "p", 0); err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p); exit.Signal != 9 {
		t.Errorf("%+v", exit)
	}
	if l, err := b.Alive(t.Context(), "p"); l != sandbox.AliveNo || err != nil {
		t.Errorf("alive: %v %v", l, err)
	}
	clean(t, b)
}

func TestDetachedOutputIsWhole(t *testing.T) {
	b := newBox(t)
	got := run(t, b, sandbox.Command{Script: `for i in $(seq 20000); do echo $i; done; echo err >&2; exit 3`, Detached: true})
	if got.exit.Code != 3 || !strings.HasSuffix(got.stdout, "19999\n20000\n") || strings.Count(got.stdout, "\n") != 20_000 || got.stderr != "err\n" {
		t.Errorf("exit %+v, %d bytes, stderr %q", got.exit, len(got.stdout), got.stderr)
	}
	clean(t, b)
}

func TestDetachedOutlivesThePlugin(t *testing.T) {
	p := newTest(t, config{})
	b, beats := create(t, p), t.TempDir()
	another := func(verb string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{p.home, b.id}, args...)...)
		cmd.Env = append(os.Environ(), "LOCALPROCESS_TEST="+verb)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	another("start", "p", `while :; do echo noise || exit; printf . >>`+beats+`/it; sleep 0.01; done`)
	if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), "it"); err != nil {
		t.Fatal(err)
	}
	if l, err := b.Alive(t.Context(), "p"); l != sandbox.AliveYes || err != nil {
		t.Errorf("alive: %v %v", l, err)
	}
	another("kill", "p")
	if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 100*time.Millisecond); err != nil || len(live) > 0 {
		t.Errorf("left %q %v", live, err)
	}
	clean(t, b)
}
