//go:build linux || darwin

package proctree

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// killLimit bounds the wait for killed processes to be gone where ctx has no
// earlier end: only one stuck in the kernel takes longer.
const killLimit = 10 * time.Second

// Kill ends the tree of id: TERM to every member, then KILL when grace is
// over; with grace 0 KILL at once. It returns when no member lives and the
// record is gone. A tree that doesn't exist is no error. It waits for a Start
// under way in any process, and kills what that made.
//
// The caller, its parents and init are never signalled. What is still there
// when ctx ends, or 10 s after KILL, is told by a [SurvivorsError].
func (f *Forest) Kill(ctx context.Context, id string, grace time.Duration) error {
	hurry, done := impatient(ctx)
	rec, err := f.recordOf(hurry, id)
	done()
	if busy(ctx, err) {
		// A start that takes long, or a member that holds the lock to live on.
		if err = f.hunt(f.targetOf(id, f.peek(f.recordPath(id)))).kill(ctx, grace); err == nil {
			rec, err = f.recordOf(ctx, id)
		}
	}
	if err != nil {
		return fmt.Errorf("kill process %q: %w", id, err)
	}
	if err := f.hunt(f.targetOf(id, rec)).kill(ctx, grace); err != nil {
		return fmt.Errorf("kill process %q: %w", id, err)
	}
	if rec.Cgroup == "" && f.cgroup != "" {
		rec.Cgroup = filepath.Join(f.cgroup, cgroupPrefix+f.token(id))
	}
	return f.forget(ctx, id, rec)
}

// recordOf reads the record of id under its lock; the zero record if it has
// none.
func (f *Forest) recordOf(ctx context.Context, id string) (record, error) {
	if err := checkID(id); err != nil {
		return record{}, err
	}
	h, err := f.hold(ctx, id)
	if err != nil || h == nil {
		return record{}, err
	}
	defer h.release()
	return h.rec, nil
}
