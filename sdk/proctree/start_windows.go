package proctree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Start makes the process, suspended, puts it into a job object of its own, and
// lets it go. It returns once it runs. If ctx ends before Start returns, the
// tree is killed and ctx's error returned; later its end means nothing.
func (f *Forest) Start(ctx context.Context, s Spec) (*Tree, error) {
	t, err := f.start(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("start process %q: %w", s.ID, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("start process %q: %w", s.ID, err), t.Kill(context.WithoutCancel(ctx), 0))
	}
	return t, nil
}

func (f *Forest) start(ctx context.Context, s Spec) (*Tree, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.User != "" {
		return nil, fmt.Errorf("%w: user %q: on Windows a process runs as the user who starts it", ErrInvalid, s.User)
	}
	if s.TTY {
		return nil, fmt.Errorf("%w: a terminal", ErrUnsupported)
	}
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(f.recordDir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make process record: %w", err)
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if f.Closed() {
		return nil, ErrClosed
	}
	if rec, ok := readRecord(f.recordPath(s.ID)); ok {
		family, err := f.family(rec, nil)
		if err != nil {
			return nil, err
		}
		if len(family) > 0 {
			return nil, fmt.Errorf("%w: pid %d", ErrInUse, family[0].PID)
		}
	}
	return f.fork(program, s)
}

func (f *Forest) fork(program string, s Spec) (*Tree, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	job, err := openJob(jobName(f.token(s.ID)), s.Bound)
	if err != nil {
		return nil, err
	}
	attr := &os.ProcAttr{Dir: s.Dir, Env: f.marked(s.Env, s.ID), Files: []*os.File{s.Stdin, s.Stdout, s.Stderr}}
	for i, file := range attr.Files {
		if file == nil {
			attr.Files[i] = null
		}
	}
	attr.Sys = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	if !s.Bound {
		attr.Sys.AdditionalInheritedHandles = []syscall.Handle{syscall.Handle(job)}
	}
	p, err := os.StartProcess(program, s.Argv, attr)
	if err != nil {
		closeHandle(job)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrNotExecutable, err)
	}
	rec := record{ID: []byte(s.ID), PID: p.Pid}
	if err = f.admit(job, &rec); err == nil {
		err = resume(p.Pid)
	}
	if err != nil { // it has never run
		_ = p.Kill()
		_, _ = p.Wait()
		closeHandle(job)
		_ = os.Remove(f.recordPath(s.ID))
		return nil, err
	}
	t := &Tree{forest: f, rec: rec, proc: p, job: job, ended: ended{done: make(chan struct{})}}
	go t.reap()
	return t, nil
}

// admit puts a suspended process into its job and writes its record.
func (f *Forest) admit(job windows.Handle, rec *record) error {
	const rights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	h, err := windows.OpenProcess(rights, false, uint32(rec.PID))
	if err != nil {
		return fmt.Errorf("open process %d: %w", rec.PID, err)
	}
	defer closeHandle(h)
	if err := windows.AssignProcessToJobObject(job, h); err != nil {
		return fmt.Errorf("put process %d into its job object: %w", rec.PID, err)
	}
	if rec.Start, err = started(h); err != nil {
		return err
	}
	return f.writeRecord(*rec)
}
