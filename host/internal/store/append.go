package store

import (
	"context"
	"fmt"
	"time"
)

// Where an event comes from.
const (
	Agent = "agent" // made by the harness from journal lines
	Host  = "host"  // phases, file events, approvals, the run's first and last
)

// Event is one entry of a run's log.
type Event struct {
	Seq     int64     // from 1 without gaps; given by the store
	Time    time.Time // default: when it is appended
	Source  string    // Agent or Host
	Hash    []byte    // agent: rolling hash up to and with this event, before redaction; read back, of some only
	Offset  int64     // bytes of the journal's out file that had been read
	Payload []byte    // one AG-UI event as JSON, redacted, without a time; or
	Whole   *Payload  // the same, as a file; never set by what reads the log
}

// Append adds events to the run's log, all or none, and answers the last one's number. Fenced.
func (s *Store) Append(ctx context.Context, run string, epoch int64, events []Event) (last int64, err error) {
	err = s.fenced(ctx, "append events to", run, epoch, func(t *tx) (err error) {
		last, err = s.insertEvents(t, run, events)
		return err
	})
	return last, err
}

// insertEvents numbers and writes events at the end of the log.
func (s *Store) insertEvents(t *tx, run string, events []Event) (last int64, err error) {
	if err := t.row(`SELECT coalesce(max(seq), 0) FROM events WHERE run = ?`, run).Scan(&last); err != nil {
		return 0, err
	}
	at := now()
	for _, b := range blocks(events) {
		e := b.last
		if e.Source != Agent && e.Source != Host {
			return 0, fmt.Errorf("source %q is neither %q nor %q", e.Source, Agent, Host)
		}
		if e.Time.IsZero() {
			e.Time = at
		}
		last += int64(b.events)
		payload, big, err := s.payload(t, run, last, e)
		if err != nil {
			return 0, err
		}
		_, err = t.exec(`INSERT INTO events (run, seq, held, time, source, journal, hash, big, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			run, last, b.events, toMillis(e.Time), e.Source, e.Offset, e.Hash, big, payload)
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}

// payload gives what goes into an event's row, and the name of the file that holds the whole if the row doesn't.
func (s *Store) payload(t *tx, run string, seq int64, e Event) (row []byte, big any, err error) {
	if e.Whole != nil {
		return s.adopt(t, run, seq, e.Whole)
	}
	return s.shorten(t, run, seq, e.Payload)
}
