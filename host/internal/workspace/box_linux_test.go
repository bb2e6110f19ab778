package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// box is a sandbox whose processes are groups of this machine, with a shell of
// the test's choice.
type box struct {
	t     *testing.T
	root  string
	shell []string
	files sandbox.Files // nil: none
	early bool          // takes input at the start of a process only

	mu    sync.Mutex
	procs map[string]*process
}

func newBox(t *testing.T, shell ...string) *box {
	t.Helper()
	if len(shell) == 0 {
		shell = []string{"/bin/sh"}
	}
	b := &box{t: t, root: t.TempDir(), shell: shell, procs: map[string]*process{}}
	t.Cleanup(b.nothingLeft)
	return b
}

// nothingLeft waits until no process of the box is left, and fails if one stays.
func (b *box) nothingLeft() {
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for id, p := range b.procs {
		for !errors.Is(syscall.Kill(-p.PID(), 0), syscall.ESRCH) {
			select {
			case <-tick.C:
			case <-deadline:
				_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
				b.t.Fatalf("%s has left something running", id)
			}
		}
	}
}

func (b *box) ID() string { return "box" }

func (b *box) Info() sandbox.Info {
	return sandbox.Info{
		Root: b.root, StateDir: b.root + "-state", Isolation: sandbox.IsolationNone,
		Capabilities: sandbox.Capabilities{Files: b.files != nil, WritableStdin: !b.early},
	}
}

func (b *box) Files() sandbox.Files { return b.files }

func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	c := exec.Command(b.shell[0], b.shell[1:]...) //nolint:noctx // it ends with Kill
	c.Dir, c.Stdout, c.Stderr = b.root, cmd.Stdout, cmd.Stderr
	if b.early {
		all, err := io.ReadAll(cmd.Stdin)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = bytes.NewReader(all)
	}
	stdin, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	c.Stdin = stdin
	go func() { // a Read that blocks after the end is abandoned
		_, _ = io.Copy(feed, cmd.Stdin)
		_ = feed.Close()
	}()
	c.Env = os.Environ()
	for k, v := range cmd.Env {
		c.Env = append(c.Env, k+"="+v)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 200 * time.Millisecond
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: c, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		err := c.Wait()
		p.exit = sandbox.Exit{Code: c.ProcessState.ExitCode(), Reason: sandbox.ReasonExited}
		if ws := c.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
			p.exit = sandbox.Exit{Code: -1, Signal: int(ws.Signal()), Reason: sandbox.ReasonSignaled}
		}
		if errors.Is(err, exec.ErrWaitDelay) {
			p.exit.Left = "something"
		}
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.procs[cmd.ID] = p
	return p, nil
}

func (b *box) Kill(_ context.Context, id string, _ time.Duration) error {
	b.mu.Lock()
	p := b.procs[id]
	b.mu.Unlock()
	if p != nil {
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
		<-p.done
	}
	return nil
}

func (b *box) Alive(context.Context, string) (sandbox.Liveness, error) {
	return sandbox.AliveUnknown, nil
}

type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	exit sandbox.Exit
}

func (p *process) PID() int                                   { return p.cmd.Process.Pid }
func (p *process) Signal(context.Context, int) error          { return sandbox.Unsupported }
func (p *process) Resize(context.Context, sandbox.Size) error { return sandbox.Unsupported }
func (p *process) Close() error                               { return nil }

func (p *process) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return sandbox.Exit{}, ctx.Err()
	}
}
