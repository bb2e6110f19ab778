package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Thread is one conversation. Its name is unique in its project.
type Thread struct {
	ID, Project, Name, Harness string
	Session                    string // the harness's id of the conversation; empty until it gave one
	SessionDir                 string // directory in the sandbox in which that session can be resumed
	Created, Used              time.Time
}

const threadColumns = `SELECT id, project, name, harness, session, session_dir, created, used FROM threads `

func scanThread(src row) (t Thread, err error) {
	err = src.Scan(&t.ID, &t.Project, &t.Name, &t.Harness, &t.Session, &t.SessionDir, millis{&t.Created}, millis{&t.Used})
	return t, err
}

// Thread finds a thread by its name in a project. [ErrNotFound] if there is none.
func (s *Store) Thread(ctx context.Context, project, name string) (Thread, error) {
	t, err := scanThread(s.read.QueryRowContext(ctx, threadColumns+`WHERE project = ? AND name = ?`, project, name))
	return t, s.found("thread "+name, err)
}

// ThreadByID finds a thread by its id. [ErrNotFound] if there is none.
func (s *Store) ThreadByID(ctx context.Context, id string) (Thread, error) {
	t, err := scanThread(s.read.QueryRowContext(ctx, threadColumns+`WHERE id = ?`, id))
	return t, s.found("thread "+id, err)
}

// LastThread is the project's thread with the newest run. [ErrNotFound] if the project has none.
func (s *Store) LastThread(ctx context.Context, project string) (Thread, error) {
	t, err := scanThread(s.read.QueryRowContext(ctx, threadColumns+`WHERE id = (
		SELECT r.thread FROM runs r JOIN threads t ON t.id = r.thread WHERE t.project = ?
		ORDER BY r.created DESC, r.rowid DESC LIMIT 1)`, project))
	return t, s.found("thread of project "+project, err)
}

// OpenThread finds a thread by its name in a project, or makes it. [*ThreadBusyError] if it has a run that hasn't ended.
func (s *Store) OpenThread(ctx context.Context, project, name, harness string) (Thread, error) {
	if !ValidName(name) {
		return Thread{}, fmt.Errorf("open thread: name %q doesn't match %s", name, names)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Thread{}, fmt.Errorf("open thread %s: %w", name, err)
	}
	var thread Thread
	err = s.do(ctx, func(t *tx) error {
		// Its harness stays: another one is the doing of a run with that.
		_, err := t.exec(`INSERT INTO threads (id, project, name, harness, session, session_dir, created, used)
			VALUES (?1, ?2, ?3, ?4, '', '', ?5, ?5)
			ON CONFLICT (project, name) DO UPDATE SET used = excluded.used`, id.String(), project, name, harness, toMillis(now()))
		if err != nil {
			return err
		}
		if thread, err = scanThread(t.row(threadColumns+`WHERE project = ? AND name = ?`, project, name)); err != nil {
			return err
		}
		return t.notBusy(thread.ID, name)
	})
	if err != nil {
		return Thread{}, fmt.Errorf("open thread %s: %w", name, err)
	}
	return thread, nil
}

// SetThreadSession remembers how the harness resumes the conversation, and in which directory. [ErrNotFound] if there
// is no such thread.
func (s *Store) SetThreadSession(ctx context.Context, thread, session, dir string) error {
	err := s.do(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE threads SET session = ?, session_dir = ? WHERE id = ?`, session, dir, thread)
		return changed(n, err)
	})
	if err != nil {
		return fmt.Errorf("set session of thread %s: %w", thread, err)
	}
	return nil
}
