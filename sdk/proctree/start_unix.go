//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Start makes the process and returns once it runs its program. A Kill of the
// id by anybody, issued after the record was made, ends it. If ctx ends before
// Start returns, the tree is killed and ctx's error returned; later its end
// means nothing.
//
// The caller must keep the program alive for Wait, but needn't call it: the
// leader is reaped anyway.
func (f *Forest) Start(ctx context.Context, s Spec) (*Tree, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	if s.Dir != "" {
		dir, err := filepath.Abs(s.Dir)
		if err != nil {
			return nil, fmt.Errorf("start process: %w", err)
		}
		s.Dir = dir
	}
	t, err := f.start(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("start process %q: %w", s.ID, err)
	}
	if err := ctx.Err(); err != nil {
		killErr := f.Kill(context.WithoutCancel(ctx), s.ID, 0)
		return nil, errors.Join(fmt.Errorf("start process %q: %w", s.ID, err), killErr)
	}
	return t, nil
}

func (f *Forest) start(ctx context.Context, s Spec) (_ *Tree, err error) {
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	h, err := f.claim(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	defer h.release()
	if err := f.free(s.ID, h); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.remove())
		}
	}()
	if f.Closed() {
		return nil, ErrClosed
	}
	rec := record{ID: []byte(s.ID), Boot: f.boot}
	if s.Bound {
		rec.Starter = f.self
	}
	if err := h.write(rec); err != nil {
		return nil, err
	}
	if f.beforeFork != nil {
		f.beforeFork()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, cgroup, err := f.fork(program, s)
	if err != nil {
		return nil, err
	}
	rec.PID, rec.Cgroup = p.Pid, cgroup
	// Our own child: it is there until we reap it.
	if rec.Start, err = startTime(p.Pid); err == nil {
		err = h.write(rec)
	}
	if err != nil {
		return nil, errors.Join(err, p.Kill(), f.abandon(ctx, s.ID, p, rec))
	}
	t := &Tree{forest: f, id: s.ID, proc: p, rec: rec, ended: ended{done: make(chan struct{})}}
	go t.reap()
	return t, nil
}

// free checks that nothing of an earlier process with this id lives.
func (f *Forest) free(id string, h *held) error {
	if h.rec.ID == nil {
		return nil
	}
	live, err := f.hunt(f.targetOf(id, h.rec)).scan()
	if err != nil {
		return err
	}
	if len(live) > 0 {
		return fmt.Errorf("%w: pid %d", ErrInUse, live[0].PID)
	}
	return nil
}

// fork starts the program in a cgroup of its own, or without if that is
// refused: some kernels and containers forbid at this point only.
func (f *Forest) fork(program string, s Spec) (*os.Process, string, error) {
	cred, err := credential(s.User)
	if err != nil {
		return nil, "", err
	}
	null, err := openPlain(os.DevNull, unix.O_RDWR)
	if err != nil {
		return nil, "", err
	}
	defer null.Close()
	attr := &os.ProcAttr{Dir: s.Dir, Env: f.marked(s.Env, s.ID), Files: []*os.File{s.Stdin, s.Stdout, s.Stderr}}
	for i, file := range attr.Files {
		if file == nil {
			attr.Files[i] = null
		}
	}
	heedSignals()
	if f.cgroup != "" {
		cg := filepath.Join(f.cgroup, cgroupPrefix+f.token(s.ID))
		if dir, err := makeCgroup(cg); err == nil {
			attr.Sys = session(s, cred)
			intoCgroup(attr.Sys, dir)
			p, err := startProcess(program, s.Argv, attr)
			_ = dir.Close()
			if err == nil {
				return p, cg, nil
			}
			_ = dropCgroup(cg)
		}
	}
	attr.Sys = session(s, cred)
	p, err := startProcess(program, s.Argv, attr)
	return p, "", execError(err)
}

func session(s Spec, cred *syscall.Credential) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: s.TTY, Credential: cred} // Ctty is fd 0
	if s.Leashed {
		leash(attr)
	}
	return attr
}

// startProcess tries again while the program's file is open for writing: a
// child being forked elsewhere in this process holds such a file until its
// exec, when the file was written by us a moment ago.
func startProcess(program string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		p, err := os.StartProcess(program, argv, attr)
		if !errors.Is(err, syscall.ETXTBSY) || wait > 100*time.Millisecond {
			return p, err
		}
		time.Sleep(wait)
	}
}

func execError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: the program or its interpreter is missing: %w", ErrNotFound, err)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.ENOEXEC), errors.Is(err, syscall.ETXTBSY):
		return fmt.Errorf("%w: %w", ErrNotExecutable, err)
	}
	return err
}

// heedSignals gives children the default action for HUP and INT where this
// program was started to ignore them, as a shell does with what it puts into
// the background: ignoring is inherited, and a child can't undo it. For this
// program nothing changes: it drops the signals instead of ignoring them.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// abandon ends a process whose record couldn't be written.
func (f *Forest) abandon(ctx context.Context, id string, p *os.Process, rec record) error {
	go func() { _, _ = p.Wait() }()
	return f.hunt(f.targetOf(id, rec)).kill(context.WithoutCancel(ctx), 0)
}
