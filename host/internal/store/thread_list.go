package store

import "context"

// ThreadInfo is a thread and what became of it.
type ThreadInfo struct {
	Thread

	Runs   int    // how many it has had
	Last   string // id of its newest run; empty if it has none
	Status Status // of that run
	Reason string // for which it ended
}

// Threads lists all threads, the last used first.
func (s *Store) Threads(ctx context.Context) ([]ThreadInfo, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT t.id, t.project, t.name, t.harness, t.session, t.session_dir, t.created, t.used,
			(SELECT count(*) FROM runs r WHERE r.thread = t.id), coalesce(l.id, ''), coalesce(l.status, ''), coalesce(l.reason, '')
		FROM threads t LEFT JOIN runs l ON l.rowid = (
			SELECT r.rowid FROM runs r WHERE r.thread = t.id ORDER BY r.created DESC, r.rowid DESC LIMIT 1)
		ORDER BY t.used DESC, t.rowid DESC`)
	return collect(s, "threads", rows, err, func(src row) (i ThreadInfo, err error) {
		t := &i.Thread
		err = src.Scan(&t.ID, &t.Project, &t.Name, &t.Harness, &t.Session, &t.SessionDir, millis{&t.Created}, millis{&t.Used},
			&i.Runs, &i.Last, &i.Status, &i.Reason)
		return i, err
	})
}
