//go:build linux || darwin

package proctree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// record is what a file in procs says about one tree.
type record struct {
	ID     []byte `json:"id"` // bytes: an id needn't be UTF-8
	Boot   string `json:"boot"`
	PID    int    `json:"pid"` // 0 between "record made" and "forked"
	Start  uint64 `json:"start"`
	Cgroup string `json:"cgroup,omitempty"`

	Starter *starter `json:"starter,omitempty"` // of a bound tree
}

// leader returns the root of the tree, if the record is of this boot and says.
func (r record) leader(boot string) (ident, bool) {
	return ident{r.PID, r.Start}, r.PID > 1 && r.Boot == boot
}

// held is a locked record.
type held struct {
	file *os.File
	path string
	rec  record
	size int // bytes in the file
}

func (f *Forest) recordDir() string { return filepath.Join(f.dir, "procs") }

func (f *Forest) recordPath(id string) string {
	return filepath.Join(f.recordDir(), hash(id)[:32])
}

// hold locks the record of id; nil if it has none.
func (f *Forest) hold(ctx context.Context, id string) (*held, error) {
	h, err := f.holdFile(ctx, f.recordPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open process record: %w", err)
	}
	return h, nil
}

// claim locks the record of id, or makes one. A record appears under its name
// only when it is locked: who sees it waits for the start.
func (f *Forest) claim(ctx context.Context, id string) (*held, error) {
	if err := f.ownRecordDir(); err != nil {
		return nil, fmt.Errorf("make process record: %w", err)
	}
	for {
		h, err := f.makeRecord(ctx, id)
		switch {
		case errors.Is(err, fs.ErrExist):
			h, err = f.hold(ctx, id)
		case errors.Is(err, fs.ErrNotExist):
			// Not MkdirAll: a state directory that was removed isn't made again.
			if err = os.Mkdir(f.recordDir(), 0o700); errors.Is(err, fs.ErrExist) {
				err = nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("make process record: %w", err)
		}
		if h != nil {
			return h, nil
		}
	}
}

func (f *Forest) makeRecord(ctx context.Context, id string) (_ *held, err error) {
	temp := filepath.Join(f.recordDir(), ".new-"+strconv.FormatUint(rand.Uint64(), 36))
	file, err := openPlain(temp, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp)
	if err = lockFile(ctx, file); err == nil {
		err = os.Link(temp, f.recordPath(id))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &held{file: file, path: f.recordPath(id)}, nil
}

// openPlain opens what nobody waits for, files and folders, past the runtime's
// poller: trying to enter it costs five times the open.
func openPlain(path string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), path), nil
		case unix.EINTR:
			continue
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
}

// there reports whether the file is still the one under the record's name: who
// held the lock before may have removed it.
func (h *held) there() (bool, error) {
	mine, err := h.file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, named), err
}

func (f *Forest) holdFile(ctx context.Context, path string) (*held, error) {
	for {
		file, err := f.openRecord(path)
		if err != nil {
			return nil, err
		}
		if err := lockFile(ctx, file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		h := &held{file: file, path: path}
		there, err := h.there()
		if !there {
			_ = file.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := h.read(); err != nil {
			return nil, err
		}
		f.ownCgroupOnly(&h.rec)
		return h, nil
	}
}

// lockWait is how long a lock is waited for before the tree is killed by what
// is known without it: one that is held longer is held to keep us out, by what
// runs in the tree.
const lockWait = 2 * time.Second

// peek reads a record that something else holds; the zero record if it can't be.
func (f *Forest) peek(path string) record {
	file, err := f.openRecord(path)
	if err != nil {
		return record{}
	}
	defer file.Close()
	var rec record
	data, err := io.ReadAll(io.LimitReader(file, 64<<10))
	if err != nil || json.Unmarshal(data, &rec) != nil {
		return record{}
	}
	f.ownCgroupOnly(&rec)
	return rec
}

// impatient bounds the wait for locks.
func impatient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, lockWait)
}

// busy is true if err came of the impatience and not of ctx's end.
func busy(ctx context.Context, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

// lockFile waits for the lock: a start holds it no longer than a fork takes.
func lockFile(ctx context.Context, file *os.File) error {
	for wait := 100 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		}
	}
}

// read takes a torn or foreign record for an empty one: the marks still find
// the tree.
func (h *held) read() error {
	data, err := io.ReadAll(io.LimitReader(h.file, 64<<10))
	if err != nil {
		h.release()
		return err
	}
	if h.size = len(data); json.Unmarshal(data, &h.rec) != nil {
		h.rec = record{}
	}
	return nil
}

// write replaces the record. What it holds grows while a process is started, so
// the file is cut only if need be: some file systems write a file that was cut
// to the disk at once, which takes longer than the start.
func (h *held) write(rec record) error {
	data, err := json.Marshal(rec)
	if err == nil && len(data) < h.size {
		err = h.file.Truncate(0)
	}
	if err == nil {
		_, err = h.file.WriteAt(data, 0)
	}
	if err != nil {
		return fmt.Errorf("write process record: %w", err)
	}
	h.rec, h.size = rec, len(data)
	return nil
}

// remove takes the record away; the lock must be held.
func (h *held) remove() error {
	if err := os.Remove(h.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove process record: %w", err)
	}
	return nil
}

// release unlocks before closing: a child being forked elsewhere in this
// process shares the open file until its exec.
func (h *held) release() {
	_ = unix.Flock(int(h.file.Fd()), unix.LOCK_UN)
	_ = h.file.Close()
}
