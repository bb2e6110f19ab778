package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// Outcome is how a run ended.
type Outcome struct {
	Status  Status // Completed, Failed or Canceled
	Exit    *int   // the agent's exit code; nil if unknown
	Reason  string
	Message string
	Usage   json.RawMessage
	Cost    *float64 // US dollars; nil if unknown
}

// Finish appends the run's last events and ends it, in one transaction. Fenced. Open approvals stay undecided; the
// driver's name stays, its lease ends.
func (s *Store) Finish(ctx context.Context, run string, epoch int64, events []Event, o Outcome) error {
	return s.fenced(ctx, "finish", run, epoch, func(t *tx) error { return s.end(t, run, events, o) })
}

// AbandonPending ends a run that no driver has ever claimed. [ErrFenced] if one has.
func (s *Store) AbandonPending(ctx context.Context, run string, o Outcome, events []Event) error {
	return s.unfenced(ctx, "abandon", run, func(t *tx) error {
		_, status, err := t.state(run)
		if err != nil {
			return err
		}
		if status != Pending { // the first claim ended that for good
			return ErrFenced
		}
		return s.end(t, run, events, o)
	})
}

func (s *Store) end(t *tx, run string, events []Event, o Outcome) error {
	if !o.Status.Terminal() {
		return fmt.Errorf("status %q isn't an end", o.Status)
	}
	if _, err := s.insertEvents(t, run, events); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE runs SET status = ?2, finished = ?3, exit = ?4, reason = ?5, message = ?6, usage = ?7, cost = ?8,
		waiting_on = '', lease_until = 0 WHERE id = ?1`,
		run, o.Status, toMillis(now()), o.Exit, o.Reason, o.Message, []byte(o.Usage), o.Cost)
	return err
}
