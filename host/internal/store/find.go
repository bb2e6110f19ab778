package store

import (
	"context"
	"fmt"
)

// candidateLimit bounds what an AmbiguousError lists.
const candidateLimit = 10

// Run reads one run. [ErrNotFound] if there is none of that id.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	r, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+fromRuns+`WHERE r.id = ?`, id))
	return r, s.found("run "+id, err)
}

// RunFilter narrows Runs; zero fields don't.
type RunFilter struct {
	Project string
	Thread  string // thread name
	Status  Status
	Limit   int // default: all
}

// Runs lists runs, newest first.
func (s *Store) Runs(ctx context.Context, f RunFilter) ([]Run, error) {
	var all []Run
	err := s.EachRun(ctx, f, func(r Run) error {
		all = append(all, r)
		return nil
	})
	return all, err
}

// EachRun calls each for the runs that Runs lists, one at a time: a spec holds a prompt, which may be large. each must
// not call the store. Its error ends the listing and is returned.
func (s *Store) EachRun(ctx context.Context, f RunFilter, each func(Run) error) error {
	if f.Limit <= 0 {
		f.Limit = -1
	}
	rows, err := s.read.QueryContext(ctx, `SELECT `+runColumns+fromRuns+`
		WHERE (?1 = '' OR t.project = ?1) AND (?2 = '' OR t.name = ?2) AND (?3 = '' OR r.status = ?3)
		ORDER BY r.created DESC, r.rowid DESC LIMIT ?4`, f.Project, f.Thread, f.Status, f.Limit)
	if err != nil {
		return s.found("runs", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return s.found("runs", err)
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return s.found("runs", rows.Err())
}

// FindRun finds a run by its id or by the start of it, if that means only one: else [*AmbiguousError] or [ErrNotFound].
func (s *Store) FindRun(ctx context.Context, prefix string) (Run, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+runColumns+fromRuns+`
		WHERE ?1 <> '' AND substr(r.id, 1, length(?1)) = ?1
		ORDER BY r.id <> ?1, r.created DESC, r.rowid DESC LIMIT ?2`, prefix, candidateLimit)
	runs, err := collect(s, "runs", rows, err, scanRun)
	switch {
	case err != nil:
		return Run{}, err
	case len(runs) == 0:
		return Run{}, fmt.Errorf("run %s: %w", prefix, ErrNotFound)
	case len(runs) == 1 || runs[0].ID == prefix:
		return runs[0], nil
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	return Run{}, &AmbiguousError{Prefix: prefix, Candidates: ids}
}
