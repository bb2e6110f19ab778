package store

import "context"

// EachOf calls each with the agent's events of a run whose type begins with prefix, in order, one at a time. Those
// that are too big for their row are left out. each must not call the store. Its error ends the listing and is
// returned.
func (s *Store) EachOf(ctx context.Context, run, prefix string, each func(payload []byte) error) error {
	rows, err := s.read.QueryContext(ctx, `SELECT payload FROM events WHERE run = ?1 AND source = 'agent' AND big IS NULL
		AND substr(payload, 1, length(?2)) = ?2 ORDER BY seq`, run, []byte(`{"type":"`+prefix))
	if err != nil {
		return s.found("events of run "+run, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var payload []byte
		if err := rows.Scan(&payload); err != nil {
			return s.found("events of run "+run, err)
		}
		if err := each(payload); err != nil {
			return err
		}
	}
	return s.found("events of run "+run, rows.Err())
}
