package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What a caller can expect and act on.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	// ErrFenced says that the caller's epoch isn't the run's (nobody has claimed it, or another driver has since), or
	// that a lease is another's.
	ErrFenced = errors.New("claim lost")
	// ErrTerminal says that the run has ended; nothing rewrites it.
	ErrTerminal = errors.New("run has ended")
	ErrDecided  = errors.New("decided already")
	ErrExpired  = errors.New("expired")
	ErrClosed   = errors.New("store is closed")
)

// What can be wrong with the file; the error's text names its path.
var (
	ErrDamaged  = errors.New("not a store, or damaged")
	ErrReadOnly = errors.New("can't be written")
	ErrCantOpen = errors.New("can't be opened (may its folder be written?)")
	ErrFull     = errors.New("disk is full")
	ErrBusy     = errors.New("locked by another process")
)

// Lasting reports whether an error is an answer: asking again gives the same. Others come of the file, the disk or other
// processes, and may pass.
func Lasting(err error) bool {
	var busy *ThreadBusyError
	var held *HeldError
	var ambiguous *AmbiguousError
	var newer *NewerError
	var unready *NotReadyError
	if errors.As(err, &unready) || errors.As(err, &busy) || errors.As(err, &held) || errors.As(err, &ambiguous) || errors.As(err, &newer) {
		return true
	}
	for _, answer := range []error{
		ErrNotFound, ErrExists, ErrFenced, ErrTerminal, ErrDecided, ErrExpired, ErrClosed, ErrDamaged,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, answer) {
			return true
		}
	}
	return false
}

// Fault reports whether an error says that the file can't be used at present: full, read-only, locked, out of reach.
func Fault(err error) bool {
	var e *sqlite.Error
	return !Lasting(err) && (errors.As(err, &e) || errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly))
}

// ThreadBusyError says that a thread has a live run already, and which.
type ThreadBusyError struct{ Thread, Run string }

func (e *ThreadBusyError) Error() string {
	return fmt.Sprintf("thread %q is busy with run %s", e.Thread, e.Run)
}

// HeldError says who drives a run and until when that claim holds if it isn't renewed.
type HeldError struct {
	Run    string
	Driver Driver
	Until  time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("run %s is driven by process %d until %s", e.Run, e.Driver.PID, e.Until.Format(time.RFC3339))
}

// AmbiguousError lists what a prefix could mean, at most ten.
type AmbiguousError struct {
	Prefix     string
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q could be %s", e.Prefix, strings.Join(e.Candidates, ", "))
}

// NewerError says that a newer version of the program has migrated the file.
type NewerError struct {
	Path         string
	Found, Known int64 // schema versions
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("store %s has schema version %d, this program knows up to %d: use the newer version",
		e.Path, e.Found, e.Known)
}

// fault gives SQLite's own errors the file's path and one of the sentinels above; others pass unchanged.
func (s *Store) fault(err error) error { return fileFault(s.path, err) }

func fileFault(path string, err error) error {
	if errors.Is(err, syscall.ENOSPC) { // a payload's file; SQLite has its own code for it
		return fmt.Errorf("store %s: %w: %w", path, ErrFull, err)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	kinds := map[int]error{
		sqlite3.SQLITE_NOTADB:   ErrDamaged,
		sqlite3.SQLITE_CORRUPT:  ErrDamaged,
		sqlite3.SQLITE_READONLY: ErrReadOnly,
		sqlite3.SQLITE_PERM:     ErrReadOnly,
		sqlite3.SQLITE_CANTOPEN: ErrCantOpen,
		sqlite3.SQLITE_FULL:     ErrFull,
		sqlite3.SQLITE_BUSY:     ErrBusy,
		sqlite3.SQLITE_LOCKED:   ErrBusy,
	}
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // its memory file can't grow: SQLite tells no reason, there is one
		return fmt.Errorf("store %s: %w: %w", path, ErrFull, err)
	}
	if e.Code()&0xff == sqlite3.SQLITE_CANTOPEN {
		switch why := obstacle(filepath.Dir(path)); {
		case errors.Is(why, syscall.ENOSPC):
			return fmt.Errorf("store %s: %w: %w", path, ErrFull, err)
		case errors.Is(why, syscall.EMFILE), errors.Is(why, syscall.ENFILE):
			return fmt.Errorf("store %s: %w: %w: raise the limit (ulimit -n)", path, errTooMany, err)
		}
	}
	if kind, ok := kinds[e.Code()&0xff]; ok {
		return fmt.Errorf("store %s: %w: %w", path, kind, err)
	}
	return fmt.Errorf("store %s: %w", path, err)
}

// errTooMany says why a file that may be opened isn't.
var errTooMany = errors.New("too many open files")

// obstacle is what is in the way of making a file in a folder, if anything is:
// SQLite has one code for all that.
func obstacle(dir string) error {
	f, err := os.CreateTemp(dir, ".store-*")
	if err != nil {
		return err
	}
	_, _ = f.Close(), os.Remove(f.Name())
	return nil
}
