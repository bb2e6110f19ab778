package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Decision answers an approval.
type Decision string

const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Deny      Decision = "deny"
)

// Approval is one question an agent's run waits on.
type Approval struct {
	ID, Run  string // the id is unique in its run
	Kind     string
	Target   string
	Title    string
	Rule     string // the policy rule that asks
	Options  json.RawMessage
	Asked    time.Time // default: now
	Expires  time.Time // zero: never
	Decision Decision
	Scope    string
	By       string
	At       time.Time // when it was decided
	Closed   time.Time // when the driver took the decision and wrote approval.decided

	Withdrawn   time.Time // when the decision was taken back for other requests than this one; zero: it wasn't
	WithdrawnBy string
}

const approvalColumns = `SELECT id, run, kind, target, title, rule, options, asked, expires, decision, scope, "by", at, closed,
	withdrawn, withdrawn_by
	FROM approvals `

func scanApproval(src row) (a Approval, err error) {
	err = src.Scan(&a.ID, &a.Run, &a.Kind, &a.Target, &a.Title, &a.Rule, raw{&a.Options}, millis{&a.Asked}, millis{&a.Expires},
		&a.Decision, &a.Scope, &a.By, millis{&a.At}, millis{&a.Closed},
		millis{&a.Withdrawn}, &a.WithdrawnBy)
	return a, err
}

// AddApproval writes an open approval and its approval.requested event, and makes the run wait on it, in one
// transaction. Fenced; [ErrExists] if the run has one of that id.
func (s *Store) AddApproval(ctx context.Context, run string, epoch int64, a Approval, events []Event) error {
	return s.fenced(ctx, "add approval to", run, epoch, func(t *tx) error {
		if a.Asked.IsZero() {
			a.Asked = now()
		}
		n, err := t.exec(`INSERT INTO approvals (id, run, kind, target, title, rule, options, asked, expires)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, id) DO NOTHING`,
			a.ID, run, a.Kind, a.Target, a.Title, a.Rule, []byte(a.Options), toMillis(a.Asked), toMillis(a.Expires))
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("approval %s: %w", a.ID, ErrExists)
		}
		if _, err := t.exec(`UPDATE runs SET waiting_on = ? WHERE id = ?`, a.ID, run); err != nil {
			return err
		}
		_, err = s.insertEvents(t, run, events)
		return err
	})
}

// Approval reads one approval. [ErrNotFound] if there is none.
func (s *Store) Approval(ctx context.Context, run, id string) (Approval, error) {
	a, err := scanApproval(s.read.QueryRowContext(ctx, approvalColumns+`WHERE run = ? AND id = ?`, run, id))
	return a, s.found("approval "+id+" of run "+run, err)
}

// Approvals lists all approvals of a run in the order they were asked.
func (s *Store) Approvals(ctx context.Context, run string) ([]Approval, error) {
	rows, err := s.read.QueryContext(ctx, approvalColumns+`WHERE run = ? ORDER BY asked, rowid`, run)
	return collect(s, "approvals of run "+run, rows, err, scanApproval)
}

// PendingApprovals lists those that nobody has decided and the driver hasn't closed, expired ones too.
func (s *Store) PendingApprovals(ctx context.Context, run string) ([]Approval, error) {
	rows, err := s.read.QueryContext(ctx,
		approvalColumns+`WHERE run = ? AND decision = '' AND closed = 0 ORDER BY asked, rowid`, run)
	return collect(s, "approvals of run "+run, rows, err, scanApproval)
}
