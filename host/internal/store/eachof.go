package store

import (
	"bytes"
	"context"
)

// EachOf calls each with the agent's events of a run whose type begins with prefix, in order, one at a time. Those
// that are too big for their row are left out. each must not call the store. Its error ends the listing and is
// returned.
func (s *Store) EachOf(ctx context.Context, run, prefix string, each func(payload []byte) error) error {
	begin := []byte(`{"type":"` + prefix)
	rows, err := s.read.QueryContext(ctx, `SELECT payload FROM events WHERE run = ?1 AND source = 'agent' AND big IS NULL
		ORDER BY seq`, run)
	if err != nil {
		return s.found("events of run "+run, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var payload []byte
		if err := rows.Scan(&payload); err != nil {
			return s.found("events of run "+run, err)
		}
		for event := range bytes.SplitSeq(payload, []byte("\n")) { // of a row that several share
			if !bytes.HasPrefix(event, begin) {
				continue
			}
			if err := each(event); err != nil {
				return err
			}
		}
	}
	return s.found("events of run "+run, rows.Err())
}
