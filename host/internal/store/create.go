package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/google/uuid"
)

// NewRun is what CreateRun needs.
type NewRun struct {
	ID         string
	ThreadName string // a thread of this name is made if the project has none; empty: named like the run
	Harness    string
	Project    string
	Key        string
	Spec       json.RawMessage
	Events     []Event // the log's first events: RUN_STARTED and run.accepted
}

// names are ids and thread names from outside. A run id is also a folder name.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ValidName reports whether a run id or the name of a thread may be given from outside.
func ValidName(s string) bool { return names.MatchString(s) }

// CreateRun writes a pending run with its first events, in one transaction, and its thread if there is none of that
// name. A thread that is continued with another harness forgets its session, which that harness couldn't read.
//
// Errors: [ErrExists] if the id is taken; [*ThreadBusyError] if the thread has a run that hasn't ended.
func (s *Store) CreateRun(ctx context.Context, n NewRun) (Run, error) {
	if n.ThreadName == "" {
		n.ThreadName = n.ID
	}
	for _, name := range []string{n.ID, n.ThreadName} {
		if !ValidName(name) {
			return Run{}, fmt.Errorf("create run: name %q doesn't match %s", name, names)
		}
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return Run{}, fmt.Errorf("create run %s: %w", n.ID, err)
	}
	var run Run
	err := s.do(ctx, func(t *tx) (err error) {
		run, err = s.createRun(t, n, key)
		return err
	})
	if err != nil {
		return Run{}, fmt.Errorf("create run %s: %w", n.ID, err)
	}
	return run, nil
}

func (s *Store) createRun(t *tx, n NewRun, key []byte) (Run, error) {
	var taken bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?)`, n.ID).Scan(&taken); err != nil {
		return Run{}, err
	}
	if taken {
		return Run{}, ErrExists
	}
	thread, err := t.ensureThread(n)
	if err != nil {
		return Run{}, err
	}
	if err := t.notBusy(thread, n.ThreadName); err != nil {
		return Run{}, err
	}
	_, err = t.exec(`INSERT INTO runs (id, thread, status, created, key, hash_key, spec) VALUES (?, ?, 'pending', ?, ?, ?, ?)`,
		n.ID, thread, toMillis(now()), n.Key, key, blob(n.Spec))
	if err != nil {
		return Run{}, err
	}
	if _, err := s.insertEvents(t, n.ID, n.Events); err != nil {
		return Run{}, err
	}
	return t.run(n.ID)
}

// notBusy makes sure that a thread has no run that hasn't ended.
func (t *tx) notBusy(thread, name string) error {
	var holder string
	err := t.row(`SELECT id FROM runs WHERE thread = ? AND status IN ('pending', 'running')`, thread).Scan(&holder)
	switch {
	case err == nil:
		return &ThreadBusyError{Thread: name, Run: holder}
	case errors.Is(err, sql.ErrNoRows):
		return nil
	}
	return err
}

// ensureThread gives the id of the project's thread of that name.
func (t *tx) ensureThread(n NewRun) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	var got string
	err = t.row(`INSERT INTO threads (id, project, name, harness, session, session_dir, created, used)
		VALUES (?1, ?2, ?3, ?4, '', '', ?5, ?5)
		ON CONFLICT (project, name) DO UPDATE SET
			used        = excluded.used,
			session     = iif(harness = excluded.harness, session, ''),
			session_dir = iif(harness = excluded.harness, session_dir, ''),
			harness     = excluded.harness
		RETURNING id`, id.String(), n.Project, n.ThreadName, n.Harness, toMillis(now())).Scan(&got)
	return got, err
}

func (t *tx) run(id string) (Run, error) {
	r, err := scanRun(t.row(`SELECT `+runColumns+fromRuns+`WHERE r.id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return r, err
}
