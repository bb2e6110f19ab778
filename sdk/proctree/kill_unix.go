//go:build linux || darwin

package proctree

import (
	"context"
	"fmt"
	"os"
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
	rec, err := f.recordOf(ctx, id)
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

// KillAll ends every tree of the forest, whatever its id, and removes all
// records.
func (f *Forest) KillAll(ctx context.Context, grace time.Duration) error {
	recs, err := f.records(ctx)
	if err != nil {
		return fmt.Errorf("kill all processes: %w", err)
	}
	t := target{marks: marks{token: f.key + "."}}
	for _, rec := range recs {
		one := f.targetOf(string(rec.ID), rec)
		t.leaders = append(t.leaders, one.leaders...)
		t.cgroups = append(t.cgroups, one.cgroups...)
	}
	if f.cgroup != "" {
		more, _ := filepath.Glob(filepath.Join(f.cgroup, cgroupPrefix+f.key+".*"))
		t.cgroups = append(t.cgroups, more...)
	}
	if err := f.hunt(t).kill(ctx, grace); err != nil {
		return fmt.Errorf("kill all processes: %w", err)
	}
	for _, cg := range t.cgroups {
		if err := dropCgroup(cg); err != nil {
			return fmt.Errorf("kill all processes: %w", err)
		}
	}
	if err := os.RemoveAll(f.recordDir()); err != nil {
		return fmt.Errorf("remove process records: %w", err)
	}
	return nil
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

// records reads all records of the forest.
func (f *Forest) records(ctx context.Context) ([]record, error) {
	entries, err := os.ReadDir(f.recordDir())
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var recs []record
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue // not claimed yet
		}
		h, err := holdFile(ctx, filepath.Join(f.recordDir(), e.Name()))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		recs = append(recs, h.rec)
		h.release()
	}
	return recs, nil
}
