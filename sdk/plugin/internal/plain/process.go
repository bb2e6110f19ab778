//go:build unix

package plain

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type proc struct {
	cmd    *exec.Cmd
	ctx    context.Context //nolint:containedctx // of the process
	cancel context.CancelFunc
	keep   bool // detached
	done   chan struct{}
	exit   sandbox.Exit
}

// Start implements sandbox.Sandbox.
func (b *Box) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	argv := c.Argv
	if c.Script != "" {
		argv = append(argv, "sh", "-c", c.Script)
	}
	if len(argv) == 0 || c.ID == "" {
		return nil, sandbox.Errorf(sandbox.Invalid, "start process: no id or nothing to run")
	}
	dir := c.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.root, dir)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, sandbox.Errorf(sandbox.NotFound, "start process: there is no folder %s", dir)
	}
	if c.Timeout > 0 {
		return nil, sandbox.Errorf(sandbox.Unsupported, "start process: no timeouts here")
	}
	life := ctx
	if c.Detached {
		life = context.WithoutCancel(ctx)
	}
	p := &proc{keep: c.Detached, done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(life)
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Env = dir, os.Environ()
	for _, env := range []map[string]string{b.env, c.Env} {
		for name, value := range env {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	p.cmd.Stdout, p.cmd.Stderr = c.Stdout, c.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd.WaitDelay = 200 * time.Millisecond
	if err := p.start(c.Stdin); err != nil {
		p.exit = sandbox.Exit{Code: 127, Reason: sandbox.ReasonExited, Message: err.Error()}
		close(p.done)
		return p, nil
	}
	b.provider.mu.Lock()
	b.provider.procs[b.id+"/"+c.ID] = p
	b.provider.mu.Unlock()
	return p, nil
}

func (p *proc) start(stdin io.Reader) error {
	var feed io.WriteCloser
	if stdin != nil {
		var err error
		if feed, err = p.cmd.StdinPipe(); err != nil {
			return err
		}
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if feed != nil {
		go func() {
			_, _ = io.Copy(feed, stdin)
			_ = feed.Close()
		}()
	}
	stop := context.AfterFunc(p.ctx, p.kill)
	go func() {
		defer close(p.done)
		defer p.cancel()
		defer stop()
		_ = p.cmd.Wait()
		status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		p.exit = sandbox.Exit{Code: status.ExitStatus(), Reason: sandbox.ReasonExited}
		if status.Signaled() {
			p.exit = sandbox.Exit{Code: -1, Signal: int(status.Signal()), Reason: sandbox.ReasonSignaled}
		}
	}()
	return nil
}

func (p *proc) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// PID implements sandbox.Process.
func (p *proc) PID() int {
	if p.cmd.Process == nil {
		return -1
	}
	return p.cmd.Process.Pid
}

// Signal implements sandbox.Process.
func (p *proc) Signal(_ context.Context, n int) error { return p.cmd.Process.Signal(syscall.Signal(n)) }

// Resize implements sandbox.Process.
func (p *proc) Resize(context.Context, sandbox.Size) error {
	return sandbox.Errorf(sandbox.Unsupported, "resize: no terminals here")
}

// Wait implements sandbox.Process.
func (p *proc) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, ctx.Err()
	}
}

// Close implements sandbox.Process.
func (p *proc) Close() error {
	if !p.keep && p.cmd.Process != nil {
		p.cancel()
		<-p.done
	}
	return nil
}

func (b *Box) find(id string) *proc {
	b.provider.mu.Lock()
	defer b.provider.mu.Unlock()
	return b.provider.procs[b.id+"/"+id]
}

// Kill implements sandbox.Sandbox.
func (b *Box) Kill(ctx context.Context, id string, grace time.Duration) error {
	p := b.find(id)
	if p == nil {
		return nil
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	graceCtx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if _, err := p.Wait(graceCtx); err != nil {
		p.kill()
	}
	_, err := p.Wait(ctx)
	return err
}

// Alive implements sandbox.Sandbox.
func (b *Box) Alive(_ context.Context, id string) (sandbox.Liveness, error) {
	p := b.find(id)
	if p == nil {
		return sandbox.AliveNo, nil
	}
	if err := p.cmd.Process.Signal(syscall.Signal(0)); errors.Is(err, os.ErrProcessDone) {
		return sandbox.AliveNo, nil
	}
	return sandbox.AliveYes, nil
}
