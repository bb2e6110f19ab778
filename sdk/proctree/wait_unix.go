//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Tree is a process that this program started, with all that it starts.
type Tree struct {
	forest *Forest
	id     string
	proc   *os.Process
	rec    record

	ended
}

// PID is the process id of the leader, also its session and group.
func (t *Tree) PID() int { return t.rec.PID }

// Signal sends a signal to the leader alone. It is no error if that has ended.
func (t *Tree) Signal(sig syscall.Signal) error {
	if err := t.proc.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal process %q: %w", t.id, err)
	}
	return nil
}

// Kill ends the tree; see [Forest.Kill].
func (t *Tree) Kill(ctx context.Context, grace time.Duration) error {
	return t.forest.Kill(ctx, t.id, grace)
}

// reap tidies before it reaps: while the leader is a zombie its pid can't be
// given to another process, so the record is never wrong.
func (t *Tree) reap() {
	defer close(t.done)
	awaitExit(t.rec.PID)
	oom := oomKilled(t.rec.Cgroup)
	empty, err := t.forest.tidy(context.Background(), t.id, t.rec)
	t.left = !empty || err != nil
	state, err := t.proc.Wait()
	if err != nil {
		t.exit, t.err = Exit{Code: -1}, fmt.Errorf("wait for process %q: %w", t.id, err)
		return
	}
	t.exit = Exit{Code: state.ExitCode(), OOM: oom}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		t.exit.Code, t.exit.Signal = -1, int(ws.Signal())
	}
}

// tidy removes record and cgroup if nothing of the tree is left. If something
// is, both stay for the Kill or Sweep that ends it.
func (f *Forest) tidy(ctx context.Context, id string, rec record) (empty bool, err error) {
	if rec.Cgroup != "" {
		return f.forgetIf(ctx, id, rec, func() bool { return cgroupEnded(rec.Cgroup) })
	}
	// Without the leader, a zombie by now.
	live, err := f.hunt(f.targetOf(id, rec)).scan()
	if err != nil || len(live) > 0 {
		return false, err
	}
	return true, f.forget(ctx, id, rec)
}

// forget removes the record, unless it tells of another process by now, and
// the cgroup.
func (f *Forest) forget(ctx context.Context, id string, rec record) error {
	_, err := f.forgetIf(ctx, id, rec, func() bool { return true })
	return err
}

// forgetIf does so if it may, which is asked under the record's lock: while it
// is held nobody starts another process of that id.
func (f *Forest) forgetIf(ctx context.Context, id string, rec record, may func() bool) (bool, error) {
	h, err := f.hold(ctx, id)
	if err != nil {
		return false, err
	}
	if h != nil {
		defer h.release()
		if h.rec.PID != rec.PID || h.rec.Start != rec.Start {
			return true, nil
		}
	}
	if !may() {
		return false, nil
	}
	if err := dropCgroup(rec.Cgroup); err != nil {
		return true, fmt.Errorf("remove cgroup of process %q: %w", id, err)
	}
	if h != nil {
		return true, h.remove()
	}
	return true, nil
}
