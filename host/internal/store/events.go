package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// One answer of Events holds at most this much.
const (
	eventLimit = 500
	byteLimit  = 16 << 20
)

// Events reads the log after a number, in order: at most limit events (default and maximum 500), fewer if they are
// big. Only an empty answer means that there are no more at present. A payload that was too big for its row is whole
// again; if its file is gone, a warning event stands in its place.
func (s *Store) Events(ctx context.Context, run string, after int64, limit int) ([]Event, error) {
	if limit <= 0 || limit > eventLimit {
		limit = eventLimit
	}
	rows, err := s.read.QueryContext(ctx, `SELECT seq, held, time, source, journal, hash, big, payload FROM events
		WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`, run, after, limit)
	if err != nil {
		return nil, s.found("events of run "+run, err)
	}
	defer func() { _ = rows.Close() }()
	var events []Event
	for size := 0; size < byteLimit && len(events) < limit && rows.Next(); {
		b, err := s.scanBlock(rows)
		if err != nil {
			return nil, s.found("events of run "+run, err)
		}
		size += len(b.last.Payload)
		for _, e := range b.apart() {
			if e.Seq > after && len(events) < limit {
				events = append(events, e)
			}
		}
	}
	return events, s.found("events of run "+run, rows.Err())
}

func (s *Store) scanBlock(rows row) (b block, err error) {
	var big sql.NullString
	e := &b.last
	if err := rows.Scan(&e.Seq, &b.events, millis{&e.Time}, &e.Source, &e.Offset, &e.Hash, &big, &e.Payload); err != nil {
		return block{}, err
	}
	if big.Valid {
		e.Payload, err = s.whole(big.String, e.Payload)
	}
	return b, err
}

// LastSeq is the number of the run's last event, 0 if it has none.
func (s *Store) LastSeq(ctx context.Context, run string) (int64, error) {
	var last int64
	err := s.read.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM events WHERE run = ?`, run).Scan(&last)
	return last, s.found("events of run "+run, err)
}

// AgentEvents says how many agent events the log holds and the hash of the last one (nil if there is none): what a
// driver that replays the journal has to meet again. It reads the whole log.
func (s *Store) AgentEvents(ctx context.Context, run string) (count int, hash []byte, err error) {
	t, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, nil, s.found("events of run "+run, err)
	}
	defer func() { _ = t.Rollback() }()
	err = t.QueryRowContext(ctx, `SELECT coalesce(sum(held), 0) FROM events WHERE run = ? AND source = 'agent'`, run).Scan(&count)
	if err != nil || count == 0 {
		return 0, nil, s.found("events of run "+run, err)
	}
	err = t.QueryRowContext(ctx, `SELECT hash FROM events WHERE run = ? AND source = 'agent' ORDER BY seq DESC LIMIT 1`, run).
		Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("last of %d agent events: %w", count, ErrDamaged)
	}
	return count, hash, s.found("events of run "+run, err)
}
