//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// closedMark is the file in procs that says that no more trees are started.
const closedMark = ".closed"

// Close ends every tree of the forest, whatever its id, as Kill does, and lets
// none be started any more, by anybody: it is for a state directory that is
// about to be removed. It may be called again.
func (f *Forest) Close(ctx context.Context, grace time.Duration) error {
	if err := f.close(ctx, grace); err != nil {
		return fmt.Errorf("close process directory: %w", err)
	}
	return nil
}

// Closed reports whether Close was called, by anybody.
func (f *Forest) Closed() bool {
	_, err := os.Lstat(filepath.Join(f.recordDir(), closedMark))
	return err == nil
}

// close sets the mark before it lists the records, and Start looks for the
// mark after it has made its record. So either Start sees the mark or close
// sees the record, and then waits until its start is through.
func (f *Forest) close(ctx context.Context, grace time.Duration) error {
	barErr := f.bar() // whatever keeps us from it, what runs is ended
	hurry, done := impatient(ctx)
	recs, err := f.records(hurry)
	done()
	if err := f.endRecords(ctx, recs, grace); err != nil {
		return err
	}
	if err != nil && !busy(ctx, err) {
		return err
	}
	if err != nil { // who held a lock is gone now, or is a start under way
		if recs, err = f.records(ctx); err != nil {
			return err
		}
		if err := f.endRecords(ctx, recs, 0); err != nil {
			return err
		}
	}
	if barErr != nil {
		return barErr
	}
	for path := range recs {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// bar lets no tree be started any more.
func (f *Forest) bar() error {
	if err := f.ownRecordDir(); err != nil {
		return err
	}
	err := os.Mkdir(f.recordDir(), 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = f.setMark()
	}
	if errors.Is(err, fs.ErrNotExist) { // without the directory nothing can start
		return nil
	}
	return err
}

func (f *Forest) endRecords(ctx context.Context, recs map[string]record, grace time.Duration) error {
	t := target{marks: marks{token: f.key + "."}}
	for _, rec := range recs {
		one := f.targetOf(string(rec.ID), rec)
		t.leaders = append(t.leaders, one.leaders...)
		t.cgroups = append(t.cgroups, one.cgroups...)
	}
	return f.end(ctx, t, grace)
}

// EndLost ends every tree of a state directory that was removed, or in whose
// place something else lies: nothing of that is read. dir is the path that the
// directory had, links resolved. It finds less than [Forest.Close]: what bears
// no mark is held by a cgroup alone.
func EndLost(ctx context.Context, dir string, o Options, grace time.Duration) error {
	f := forest(dir, o)
	if err := f.end(ctx, target{marks: marks{token: f.key + "."}}, grace); err != nil {
		return fmt.Errorf("end processes of %s: %w", dir, err)
	}
	return nil
}

// end kills a target, with what is in any cgroup of the forest.
func (f *Forest) end(ctx context.Context, t target, grace time.Duration) error {
	if f.cgroup != "" {
		more, _ := filepath.Glob(filepath.Join(f.cgroup, cgroupPrefix+f.key+".*"))
		t.cgroups = append(t.cgroups, more...)
	}
	if err := f.hunt(t).kill(ctx, grace); err != nil {
		return err
	}
	for _, cg := range t.cgroups {
		if err := dropCgroup(cg); err != nil {
			return err
		}
	}
	return nil
}

// setMark makes the mark. Whatever has its name is one: it isn't opened, since
// behind it may be a pipe, or a file elsewhere.
func (f *Forest) setMark() error {
	file, err := os.OpenFile(filepath.Join(f.recordDir(), closedMark), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// records reads all records of the forest, by path. Those that can't be locked
// or opened are read as far as they can be, with an error that names one.
func (f *Forest) records(ctx context.Context) (map[string]record, error) {
	entries, err := os.ReadDir(f.recordDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	recs := map[string]record{}
	var failed error
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue // the mark, or not claimed yet
		}
		path := filepath.Join(f.recordDir(), e.Name())
		h, err := f.holdFile(ctx, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			recs[path] = f.peek(path)
			if failed == nil || !errors.Is(err, context.DeadlineExceeded) {
				failed = err
			}
		default:
			recs[path] = h.rec
			h.release()
		}
	}
	return recs, failed
}
