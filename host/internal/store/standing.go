package store

import (
	"context"
	"fmt"
)

// What a decision on an approval counts for.
const (
	ScopeOnce   = "once"   // that request
	ScopeRun    = "run"    // all equal ones of its run
	ScopeThread = "thread" // all equal ones of its thread, also in later runs
)

// mostStanding bounds how many decisions that may answer a request are looked at.
const mostStanding = 100

// Standing lists the decisions that also answer a request of a run, the newest first: those on the same kind and target,
// made for the run or for its thread. A request that was answered by one is among them.
func (s *Store) Standing(ctx context.Context, run, kind, target string) ([]Approval, error) {
	rows, err := s.read.QueryContext(ctx, approvalColumns+`WHERE kind = ?1 AND target = ?2 AND decision <> '' AND withdrawn = 0 AND (
		scope = 'run' AND run = ?3 OR
		scope = 'thread' AND run IN (SELECT id FROM runs WHERE thread = (SELECT thread FROM runs WHERE id = ?3)))
		ORDER BY at DESC, rowid DESC LIMIT ?4`, kind, target, run, mostStanding)
	return collect(s, "decisions that run "+run+" has on "+kind, rows, err, scanApproval)
}

// StandingAnswer is a decision that answers more requests than its own.
type StandingAnswer struct {
	Approval

	Thread, Project string // of its run; the thread's name
}

// Standings lists the decisions that count for more than their requests, those that were used last first: those for
// threads, and those for runs that haven't ended. A request that was answered by one has its decision too; told is the
// one that a person gave.
func (s *Store) Standings(ctx context.Context) ([]StandingAnswer, error) {
	rows, err := s.read.QueryContext(ctx, approvalColumns+`WHERE decision <> '' AND withdrawn = 0 AND (scope = 'thread' OR
		scope = 'run' AND run IN (SELECT id FROM runs WHERE status IN ('pending', 'running'))) ORDER BY at DESC, rowid DESC`)
	all, err := collect(s, "answers that stand", rows, err, scanApproval)
	if err != nil {
		return nil, err
	}
	type like struct{ of, kind, target string }
	known := map[like]int{}
	var out []StandingAnswer
	for _, a := range all {
		run, err := s.Run(ctx, a.Run)
		if err != nil {
			return nil, err
		}
		of := like{run.Thread, a.Kind, a.Target}
		if a.Scope == ScopeRun {
			of.of = run.ID
		}
		answer := StandingAnswer{a, run.ThreadName, run.Project}
		switch i, ok := known[of]; {
		case !ok:
			known[of] = len(out)
			out = append(out, answer)
		case out[i].Decision == a.Decision: // the newer one was answered by this
			out[i] = answer
		}
	}
	return out, nil
}

// Withdraw takes a decision back for all requests that haven't been answered by it yet, and with it all equal ones of the
// same run or thread, which would stand in its place. Its own request stays answered. [ErrNotFound] if it doesn't
// stand.
func (s *Store) Withdraw(ctx context.Context, run, id, by string) error {
	err := s.do(ctx, func(t *tx) error {
		a, err := t.approval(run, id)
		if err != nil {
			return err
		}
		if a.Decision == Undecided || !a.Withdrawn.IsZero() {
			return ErrNotFound
		}
		n, err := t.exec(`UPDATE approvals SET withdrawn = ?1, withdrawn_by = ?2
			WHERE kind = ?3 AND target = ?4 AND scope = ?5 AND decision <> '' AND withdrawn = 0 AND (
			scope = 'run' AND run = ?6 OR
			scope = 'thread' AND run IN (SELECT id FROM runs WHERE thread = (SELECT thread FROM runs WHERE id = ?6)))`,
			toMillis(now()), by, a.Kind, a.Target, a.Scope, run)
		return changed(n, err)
	})
	if err != nil {
		return fmt.Errorf("withdraw the answer to request %s of run %s: %w", id, run, err)
	}
	return nil
}
