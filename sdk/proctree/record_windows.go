package proctree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// record is what a file in procs says about one tree. A start time is unique
// over reboots here, so no boot is noted.
type record struct {
	ID    []byte `json:"id"`
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

func (r record) leader() ident { return ident{PID: r.PID, Start: r.Start} }

func (f *Forest) recordDir() string { return filepath.Join(f.dir, "procs") }

func (f *Forest) recordPath(id string) string {
	return filepath.Join(f.recordDir(), hash(id)[:32])
}

// lock keeps other processes from the records of this forest: from before a
// process is made until its record is written.
func (f *Forest) lock(ctx context.Context) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(f.recordDir(), ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock process records: %w", err)
	}
	h, at := windows.Handle(file.Fd()), new(windows.Overlapped)
	for {
		err := windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
		if err == nil {
			return func() { _ = windows.UnlockFileEx(h, 0, 1, 0, at); _ = file.Close() }, nil
		}
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			err = pause(ctx, 5*time.Millisecond)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock process records: %w", err), file.Close())
		}
	}
}

// recordOf reads the record of id, after any start of it is through; false if it
// has none.
func (f *Forest) recordOf(ctx context.Context, id string) (record, bool, error) {
	if err := checkID(id); err != nil {
		return record{}, false, err
	}
	unlock, err := f.lock(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, err
	}
	defer unlock()
	rec, ok := readRecord(f.recordPath(id))
	return rec, ok, nil
}

// readRecord takes a torn or foreign record for none.
func readRecord(path string) (record, bool) {
	var rec record
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return rec, false
	}
	file, err := os.Open(path)
	if err != nil {
		return rec, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 64<<10))
	ok := err == nil && json.Unmarshal(data, &rec) == nil && rec.PID > 0
	return rec, ok
}

func (f *Forest) writeRecord(rec record) error {
	data, err := json.Marshal(rec)
	if err == nil {
		err = os.WriteFile(f.recordPath(string(rec.ID)), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write process record: %w", err)
	}
	return nil
}

// forget removes the record of a tree, unless it tells of another by now.
func (f *Forest) forget(ctx context.Context, rec record) error {
	unlock, err := f.lock(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	if now, ok := readRecord(f.recordPath(string(rec.ID))); !ok || now.leader() != rec.leader() {
		return nil
	}
	if err := os.Remove(f.recordPath(string(rec.ID))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove process record: %w", err)
	}
	return nil
}
