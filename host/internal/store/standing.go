package store

import "context"

// What a decision on an approval counts for.
const (
	ScopeOnce   = "once"   // that request
	ScopeRun    = "run"    // all equal ones of its run
	ScopeThread = "thread" // all equal ones of its thread, also in later runs
)

// Standing finds the newest decision that also answers a request of a run: one on the same kind and target, made for the
// run or for its thread. [ErrNotFound] if there is none.
func (s *Store) Standing(ctx context.Context, run, kind, target string) (Approval, error) {
	a, err := scanApproval(s.read.QueryRowContext(ctx, approvalColumns+`WHERE kind = ?1 AND target = ?2 AND decision <> '' AND (
		scope = 'run' AND run = ?3 OR
		scope = 'thread' AND run IN (SELECT id FROM runs WHERE thread = (SELECT thread FROM runs WHERE id = ?3)))
		ORDER BY at DESC, rowid DESC LIMIT 1`, kind, target, run))
	return a, s.found("decision that run "+run+" has on "+kind, err)
}
