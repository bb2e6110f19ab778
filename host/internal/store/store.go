package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/uuid"
)

// readConns is the size of the read pool: a process has few readers, and two cores serve no more.
const readConns = 4

// Store is one process's access to one store file. All methods may be called from several goroutines.
type Store struct {
	path  string
	owner string
	root  *os.Root // the file's folder, home of runs/<run>/big

	read   *sql.DB
	write  *sql.DB
	writer *writer
	wake   *broadcast

	version versionConn

	closing sync.Once
	closed  chan struct{}
}

// Open opens the store file at path, making and migrating it as needed, and proves that it can be written. Payloads
// too big for a row are kept in runs/<run>/big beside it.
//
// Errors: [*NewerError], [ErrDamaged], [ErrReadOnly], [ErrCantOpen], [ErrFull], [ErrBusy]; each names the path.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, wake: newBroadcast(), closed: make(chan struct{})}
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("open store: %w", errors.Join(err, s.release()))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.root, err = os.OpenRoot(filepath.Dir(s.path)); err != nil {
		return err
	}
	if s.write, err = openWriter(s.path); err != nil {
		return err
	}
	if s.read, err = openReader(s.path, readConns+1); err != nil {
		return err
	}
	if err = migrate(ctx, s.path, s.write, migrations, schemaVersion); err != nil {
		return err
	}
	s.writer = startWriter(s.write, s.closed, s.wake.send)
	return s.ensureOwner(ctx)
}

// ensureOwner writes the owner's id once. The statement runs also when there is one: SQLite opens a file that it may
// only read without a word, and that is to be found here and not in the middle of a run.
func (s *Store) ensureOwner(ctx context.Context) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return s.do(ctx, func(t *tx) error {
		if _, err := t.exec(`UPDATE meta SET owner = ? WHERE id = 1 AND owner = ''`, id.String()); err != nil {
			return err
		}
		return t.row(`SELECT owner FROM meta WHERE id = 1`).Scan(&s.owner)
	})
}

// Owner is the UUIDv7 under which this store labels what it makes at providers; it never changes.
func (s *Store) Owner() string { return s.owner }

// Path is the file's path as given to Open.
func (s *Store) Path() string { return s.path }

// Close ends the writer after the work it has taken, and closes all connections. Calls made after it, and those that
// wait for their turn, answer [ErrClosed].
func (s *Store) Close() (err error) {
	s.closing.Do(func() { err = s.release() })
	return err
}

func (s *Store) release() error {
	close(s.closed)
	if s.writer != nil {
		s.writer.wait()
	}
	s.wake.send() // tails see that the store is closed
	errs := []error{s.version.close()}
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.root != nil {
		errs = append(errs, s.root.Close())
	}
	return errors.Join(errs...)
}

// do runs fn in the writer's next transaction; see writer.do.
func (s *Store) do(ctx context.Context, fn func(*tx) error) error { return s.hand(ctx, false, fn) }

// doSoft does the same for what means nothing once the machine, and with it every process of this store, has ended: a
// lease, which names a process and runs out by itself.
func (s *Store) doSoft(ctx context.Context, fn func(*tx) error) error { return s.hand(ctx, true, fn) }

func (s *Store) hand(ctx context.Context, soft bool, fn func(*tx) error) error {
	if s.writer == nil { // of Peek
		return fmt.Errorf("store %s: %w: it is open to be read", s.path, ErrReadOnly)
	}
	return s.fault(s.writer.do(ctx, soft, fn))
}
