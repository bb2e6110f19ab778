package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Peek opens a store to read alone: it makes and migrates nothing and takes no lock that a writer waits for. All that
// would write answers [ErrReadOnly]. Errors: [ErrNotFound] if there is no file, and those of Open; a file of an older
// version is an [*OlderError].
func Peek(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open store %s: %w", path, ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("open store: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open store %s: %w: it is not a regular file", path, ErrCantOpen)
	}
	s := &Store{path: path, wake: newBroadcast(), closed: make(chan struct{})}
	if err := s.peek(ctx); err != nil {
		return nil, fmt.Errorf("open store: %w", errors.Join(err, s.release()))
	}
	return s, nil
}

func (s *Store) peek(ctx context.Context) (err error) {
	if s.root, err = os.OpenRoot(filepath.Dir(s.path)); err != nil {
		return err
	}
	if s.read, err = openReader(s.path, 1); err != nil {
		return err
	}
	found, err := schemaOf(ctx, s.path, s.read, schemaVersion)
	if err != nil {
		return err
	}
	if found < schemaVersion {
		return &OlderError{s.path, found, schemaVersion}
	}
	return s.fault(s.read.QueryRowContext(ctx, `SELECT owner FROM meta WHERE id = 1`).Scan(&s.owner))
}

// OlderError says that a file is yet to be migrated, which the next Open does.
type OlderError struct {
	Path         string
	Found, Known int64 // schema versions
}

func (e *OlderError) Error() string {
	return fmt.Sprintf("store %s has schema version %d, this program's is %d: the next run brings it up to date", e.Path, e.Found, e.Known)
}

// faultsShown is how many faults of a file anybody reads.
const faultsShown = 10

// Faults looks through the whole file for damage, and tells up to ten places. It takes about a second per gigabyte.
func (s *Store) Faults(ctx context.Context) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, fmt.Sprintf("PRAGMA quick_check(%d)", faultsShown))
	found, err := collect(s, "faults", rows, err, func(src row) (text string, err error) {
		err = src.Scan(&text)
		return text, err
	})
	if err != nil || len(found) == 1 && found[0] == "ok" {
		return nil, err
	}
	return found, nil
}
