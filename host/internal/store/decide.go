package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Decide answers a waiting approval, for the driver to take. Anyone may call it.
//
// Errors: [ErrNotFound]; [ErrDecided] if somebody was faster; [ErrExpired]; [ErrTerminal] if the run has ended.
func (s *Store) Decide(ctx context.Context, run, id string, decision Decision, scope, by string) error {
	return s.unfenced(ctx, "decide approval "+id+" of", run, func(t *tx) error {
		a, err := t.approval(run, id)
		switch {
		case err != nil:
			return err
		case a.Decision != Undecided || !a.Closed.IsZero():
			return ErrDecided
		case !a.Expires.IsZero() && !now().Before(a.Expires):
			return ErrExpired
		}
		return t.decide(run, id, decision, scope, by)
	})
}

// MoveExpiry says anew when an approval runs out that nobody has decided: the machine's clock was set. Fenced.
func (s *Store) MoveExpiry(ctx context.Context, run string, epoch int64, id string, expires time.Time) error {
	return s.fenced(ctx, "move the expiry of approval "+id+" of", run, epoch, func(t *tx) error {
		_, err := t.exec(`UPDATE approvals SET expires = ? WHERE run = ? AND id = ? AND decision = ''`, toMillis(expires), run, id)
		return err
	})
}

// CloseApproval takes an approval's decision, appends the events that tells (made by events, which must not block) and
// ends the run's waiting, in one transaction. If nobody has decided, the caller's decision is recorded: for one that
// expired, Deny by "timeout". It answers the approval as closed. Fenced; [ErrNotFound]; [ErrDecided] if it is closed
// already.
func (s *Store) CloseApproval(
	ctx context.Context, run string, epoch int64, id string, decision Decision, scope, by string, events func(Approval) []Event,
) (a Approval, err error) {
	err = s.fenced(ctx, "close approval "+id+" of", run, epoch, func(t *tx) error {
		if a, err = t.approval(run, id); err != nil {
			return err
		}
		if !a.Closed.IsZero() {
			return ErrDecided
		}
		if a.Decision == Undecided {
			if err := t.decide(run, id, decision, scope, by); err != nil {
				return err
			}
		}
		if a, err = t.close(run, id); err != nil {
			return err
		}
		if events == nil {
			return nil
		}
		_, err = s.insertEvents(t, run, events(a))
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	return a, nil
}

func (t *tx) decide(run, id string, decision Decision, scope, by string) error {
	if decision != Allow && decision != Deny {
		return fmt.Errorf("decision %q is neither %q nor %q", decision, Allow, Deny)
	}
	_, err := t.exec(`UPDATE approvals SET decision = ?, scope = ?, "by" = ?, at = ? WHERE run = ? AND id = ?`,
		decision, scope, by, toMillis(now()), run, id)
	return err
}

// close marks an approval as taken; the run goes on waiting if another is open.
func (t *tx) close(run, id string) (Approval, error) {
	if _, err := t.exec(`UPDATE approvals SET closed = ? WHERE run = ? AND id = ?`, toMillis(now()), run, id); err != nil {
		return Approval{}, err
	}
	_, err := t.exec(`UPDATE runs SET waiting_on = coalesce(
		(SELECT id FROM approvals WHERE run = ?1 AND closed = 0 ORDER BY asked DESC, rowid DESC LIMIT 1), '') WHERE id = ?1`, run)
	if err != nil {
		return Approval{}, err
	}
	return t.approval(run, id)
}

func (t *tx) approval(run, id string) (Approval, error) {
	a, err := scanApproval(t.row(approvalColumns+`WHERE run = ? AND id = ?`, run, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return a, err
}
