package store

import (
	"context"
	"encoding/json"
)

// BeginAnew notes, in one transaction, that a run's agent doesn't know the session it was to resume and is started
// again without one: the run's launch becomes launch and its agent counts as not started, the thread forgets the
// session, and events are appended. Fenced.
func (s *Store) BeginAnew(ctx context.Context, run string, epoch int64, launch json.RawMessage, events []Event) error {
	return s.fenced(ctx, "begin anew", run, epoch, func(t *tx) error {
		_, err := t.exec(`UPDATE runs SET launch = ?2, proc = '', prompt_sent = 0 WHERE id = ?1`, run, blob(launch))
		if err != nil {
			return err
		}
		_, err = t.exec(`UPDATE threads SET session = '', session_dir = '' WHERE id = (SELECT thread FROM runs WHERE id = ?)`, run)
		if err != nil {
			return err
		}
		_, err = s.insertEvents(t, run, events)
		return err
	})
}
