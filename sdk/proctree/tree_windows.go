package proctree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// Tree is a process that this program started, with all that it starts.
type Tree struct {
	forest *Forest
	rec    record
	proc   *os.Process
	job    windows.Handle // held as long as something of the tree may live
	let    sync.Once

	ended
}

// PID is the process id of the leader.
func (t *Tree) PID() int { return t.rec.PID }

// Signal ends the leader alone with SIGKILL, and asks it to end, by Ctrl-Break,
// with SIGINT and SIGTERM. Windows has no others.
func (t *Tree) Signal(sig syscall.Signal) error {
	var err error
	switch sig {
	case syscall.SIGKILL:
		if err = t.proc.Kill(); errors.Is(err, os.ErrProcessDone) {
			err = nil
		}
	case syscall.SIGINT, syscall.SIGTERM:
		err = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.rec.PID))
	default:
		err = fmt.Errorf("%w: signal %d", ErrUnsupported, sig)
	}
	if err != nil {
		return fmt.Errorf("signal process %q: %w", t.rec.ID, err)
	}
	return nil
}

// Kill ends the tree; see [Forest.Kill].
func (t *Tree) Kill(ctx context.Context, grace time.Duration) error {
	err := t.forest.Kill(ctx, string(t.rec.ID), grace)
	if err == nil {
		t.let.Do(func() { closeHandle(t.job) })
	}
	return err
}

func (t *Tree) reap() {
	defer close(t.done)
	state, err := t.proc.Wait()
	if err != nil {
		t.exit, t.err = Exit{Code: -1}, fmt.Errorf("wait for process %q: %w", t.rec.ID, err)
		return
	}
	t.exit = Exit{Code: state.ExitCode()}
	family, err := t.forest.family(t.rec, nil)
	if t.left = err != nil || len(family) > 0; !t.left {
		t.let.Do(func() { closeHandle(t.job) })
		_ = t.forest.forget(context.Background(), t.rec) // the next start or kill finds it stale
	}
}
