//go:build unix

package providertest_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type tinyProcess struct {
	box    *tinyBox
	cmd    sandbox.Command
	tree   *proctree.Tree
	left   atomic.Int64 // bytes of output that are still allowed
	reason atomic.Value
	done   chan struct{}
	exit   sandbox.Exit
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

func (b *tinyBox) spec(cmd sandbox.Command) (proctree.Spec, error) {
	spec := proctree.Spec{ID: cmd.ID, Argv: cmd.Argv, Dir: cmd.Dir, User: cmd.User}
	if cmd.Script != "" {
		spec.Argv = []string{"sh", "-c", cmd.Script}
	}
	if !filepath.IsAbs(spec.Dir) {
		spec.Dir = filepath.Join(b.Info().Root, spec.Dir)
	}
	env := map[string]string{"PATH": os.Getenv("PATH"), "HOME": b.Info().Home}
	bad := (len(cmd.Argv) > 0) == (cmd.Script != "") || !idPattern.MatchString(cmd.ID) || cmd.Timeout < 0 || cmd.MaxOutput < 0 ||
		len(cmd.Script) > 100<<10
	for _, over := range []map[string]string{b.env, cmd.Env} {
		for name, value := range over {
			bad = bad || name == "" || strings.Contains(name, "=")
			env[name] = value
		}
	}
	for name, value := range env {
		spec.Env = append(spec.Env, name+"="+value)
	}
	switch {
	case cmd.TTY != nil:
		return spec, &sandbox.Error{Class: sandbox.Unsupported, Capability: "pty"}
	case bad:
		return spec, sandbox.Errorf(sandbox.Invalid, "start process %q: bad command", cmd.ID)
	}
	if _, err := os.Stat(filepath.Join(b.base, "labels")); err != nil {
		return spec, sandbox.Errorf(sandbox.Gone, "start process: %w", err)
	}
	return spec, nil
}

func (b *tinyBox) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	spec, err := b.spec(cmd)
	if err != nil {
		return nil, err
	}
	p := &tinyProcess{box: b, cmd: cmd, done: make(chan struct{})}
	p.left.Store(cmd.MaxOutput)
	var theirs, ours []*os.File
	pipe := func() (r, w *os.File) {
		r, w, pipeErr := os.Pipe()
		err = errors.Join(err, pipeErr)
		return r, w
	}
	var in, out, errs *os.File
	if cmd.Stdin != nil {
		spec.Stdin, in = pipe()
	}
	// A detached process isn't given a pipe: it would end with this process.
	if cmd.Stdout != nil && !cmd.Detached {
		out, spec.Stdout = pipe()
	}
	if cmd.Stderr != nil && !cmd.Detached {
		errs, spec.Stderr = pipe()
	}
	theirs, ours = []*os.File{spec.Stdin, spec.Stdout, spec.Stderr}, []*os.File{in, out, errs}
	if err == nil {
		p.tree, err = b.forest.Start(ctx, spec)
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return p.unstarted(err)
	}
	if in != nil {
		go func() {
			_, _ = io.Copy(in, cmd.Stdin)
			_ = in.Close()
		}()
	}
	p.run(ctx, out, errs)
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// unstarted tells what a shell would exit with from an error.
func (p *tinyProcess) unstarted(err error) (sandbox.Process, error) {
	classes := map[error]sandbox.Class{
		proctree.ErrInvalid: sandbox.Invalid, proctree.ErrInUse: sandbox.Conflict, proctree.ErrNoDir: sandbox.NotFound,
	}
	for target, class := range classes {
		if errors.Is(err, target) {
			return nil, sandbox.Errorf(class, "start: %w", err)
		}
	}
	code := map[bool]int{errors.Is(err, proctree.ErrNotFound): 127, errors.Is(err, proctree.ErrNotExecutable): 126}[true]
	if code == 0 {
		if p.cmd.User != "" {
			return nil, sandbox.Errorf(sandbox.Invalid, "start: %w", err)
		}
		return nil, err
	}
	p.exit = sandbox.Exit{Code: code, Reason: sandbox.ReasonExited}
	close(p.done)
	return p, nil
}

func (p *tinyProcess) run(ctx context.Context, out, errs *os.File) {
	var pumps sync.WaitGroup
	for from, to := range map[*os.File]io.Writer{out: p.cmd.Stdout, errs: p.cmd.Stderr} {
		if from != nil {
			pumps.Go(func() { p.pump(from, to) })
		}
	}
	var stop func() bool
	if !p.cmd.Detached {
		stop = context.AfterFunc(ctx, func() { p.kill("") })
	}
	var timer *time.Timer
	if p.cmd.Timeout > 0 {
		timer = time.AfterFunc(p.cmd.Timeout, func() { p.kill(sandbox.ReasonTimedOut) })
	}
	go func() {
		defer close(p.done)
		exit, _ := p.tree.Wait(context.Background())
		drained := make(chan struct{})
		go func() {
			pumps.Wait()
			close(drained)
		}()
		select {
		case <-drained:
		case <-time.After(200 * time.Millisecond):
		}
		if !p.cmd.Detached {
			p.kill("-")
		}
		for _, from := range []*os.File{out, errs} {
			if from != nil {
				_ = from.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			}
		}
		<-drained
		if stop != nil {
			stop()
		}
		if timer != nil {
			timer.Stop()
		}
		p.exit = sandbox.Exit{Code: exit.Code, Signal: exit.Signal, Reason: sandbox.ReasonExited}
		if exit.Signal != 0 {
			p.exit.Reason = sandbox.ReasonSignaled
		}
		if r, ok := p.reason.Load().(sandbox.ExitReason); ok && exit.Signal != 0 {
			p.exit.Reason = r
		}
	}()
}

// kill ends the tree for a reason; "-" is none, "" that of a signal.
func (p *tinyProcess) kill(reason sandbox.ExitReason) {
	if reason != "-" && reason != "" {
		p.reason.CompareAndSwap(nil, reason)
	}
	_ = p.tree.Kill(context.Background(), 0)
}

func (p *tinyProcess) pump(from *os.File, to io.Writer) {
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		part := buf[:n]
		if p.cmd.MaxOutput > 0 {
			left := p.left.Add(-int64(n))
			if left < 0 {
				part = part[:max(0, int64(n)+left)]
				go p.kill(sandbox.ReasonOutputLimit)
			}
		}
		if len(part) > 0 && to != nil {
			if _, err := to.Write(part); err != nil {
				to = nil
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *tinyProcess) PID() int {
	if p.tree == nil {
		return -1
	}
	return p.tree.PID()
}

func (p *tinyProcess) Signal(_ context.Context, n int) error { return p.tree.Signal(syscall.Signal(n)) }

func (p *tinyProcess) Resize(context.Context, sandbox.Size) error {
	return &sandbox.Error{Class: sandbox.Unsupported, Capability: "pty"}
}

func (p *tinyProcess) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, ctx.Err()
	}
}

func (p *tinyProcess) Close() error {
	select {
	case <-p.done: // another process may have the id by now
	default:
		if !p.cmd.Detached {
			p.kill("")
		}
	}
	return nil
}
