package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Untidy reports whether a run that has ended still has a journal in its
// sandbox, or a sandbox that was to go with it: its driver died in between, or
// couldn't reach it. Driving it again tries once more.
func Untidy(ctx context.Context, st *store.Store, run store.Run) (bool, error) {
	if !run.Status.Terminal() || run.Sandbox == "" || !abandoned(run) {
		return false, nil
	}
	if open, err := unsettled(ctx, st, run); err != nil || open {
		return open, err
	}
	return superfluous(ctx, st, run)
}

// abandoned reports whether the driver that ended a run is done with it. One of
// another machine, or before a restart of this one, has had its time.
func abandoned(run store.Run) bool {
	return Gone(run.Driver) || time.Since(run.Finished) > ArchiveTimeout+sandboxes.DestroyTimeout+time.Minute
}

// superfluous reports whether the sandbox of an ended run was to go with it, or is
// of no use to any other.
func superfluous(ctx context.Context, st *store.Store, run store.Run) (bool, error) {
	record, err := decodeRecord(run.Spec)
	if err != nil {
		return false, err
	}
	row, err := st.Sandbox(ctx, run.Sandbox)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up sandbox: %w", err)
	}
	if !row.HalfMade() && !removes(record.Spec.Lifecycle, run.Status == store.Canceled) {
		return false, nil
	}
	busy, err := sandboxes.LiveRun(ctx, st, row)
	return busy == "" && err == nil, err
}

// tidy archives and removes what an ended run has left behind.
func (e *Engine) tidy(ctx context.Context, run store.Run) error {
	untidy, err := Untidy(ctx, e.Store, run)
	if err != nil || !untidy {
		return err
	}
	record, err := decodeRecord(run.Spec)
	if err != nil {
		return err
	}
	prov, err := e.Provider(ctx, record.Spec)
	if err != nil {
		return err
	}
	defer prov.Close()
	err = e.settle(ctx, run, record.Spec, prov)
	remove, serr := superfluous(ctx, e.Store, run)
	if err = errors.Join(err, serr); !remove {
		return err
	}
	return errors.Join(err, sandboxes.Destroy(ctx, e.Store, prov, run.Sandbox, run.ID, Claimant()))
}
