package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Untidy reports whether a run that has ended still has a sandbox that was to
// go with it: its driver died in between. Driving it again removes it.
func Untidy(ctx context.Context, st *store.Store, run store.Run) (bool, error) {
	if !run.Status.Terminal() || run.Sandbox == "" || !Gone(run.Driver) {
		return false, nil
	}
	record, err := decodeRecord(run.Spec)
	if err != nil {
		return false, err
	}
	d := drive{record: record}
	if !d.removes(run.Status == store.Canceled) {
		return false, nil
	}
	row, err := st.Sandbox(ctx, run.Sandbox)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up sandbox: %w", err)
	}
	busy, err := sandboxes.LiveRun(ctx, st, row)
	return busy == "" && err == nil, err
}

// tidy removes the sandbox that an ended run has left behind.
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
	return sandboxes.Destroy(ctx, e.Store, prov, run.Sandbox, run.ID, Claimant())
}
