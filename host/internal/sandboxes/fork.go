package sandboxes

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TakenError says that there is a sandbox already where a copy was to be.
type TakenError struct{ Row store.SandboxRow }

func (e *TakenError) Error() string {
	return fmt.Sprintf("its thread has a sandbox of this kind already, %s", nameOf(e.Row))
}

// Fork makes the sandbox that w wants out of one that there is, as it is now: nothing
// is brought into it. Where there is one of that key already it is a *TakenError.
func Fork(ctx context.Context, st *store.Store, p sandbox.Provider, from sandbox.Sandbox, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	f, err := sandbox.As[sandbox.Forker](from)
	if err != nil {
		return nil, fmt.Errorf("fork sandbox %s: %w", from.ID(), err)
	}
	return copied(ctx, st, p, w, origin{phase: "fork", detail: from.ID(), filled: true, make: f.Fork}, tell)
}

// Restore is Fork out of a snapshot.
func Restore(ctx context.Context, st *store.Store, p sandbox.Provider, snapshot store.SnapshotRow, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	from, err := restored(p, Fit{Snapshot: snapshot})
	if err != nil {
		return nil, err
	}
	return copied(ctx, st, p, w, from, tell)
}

func copied(ctx context.Context, st *store.Store, p sandbox.Provider, w Want, from origin, tell func(Phase)) (sandbox.Sandbox, error) {
	l, err := hold(ctx, st, w.Key, w.Claimant, nil)
	if err != nil {
		return nil, err
	}
	defer l.release(ctx)
	row, err := st.Sandbox(ctx, w.Key)
	switch {
	case err == nil && row.HalfMade():
		err = remove(ctx, l, p, row)
	case err == nil && row.State == store.Ready:
		err = &TakenError{row}
	case errors.Is(err, store.ErrNotFound):
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return build(ctx, l, p, w, from, tell)
}

// Quiet sees to it that nothing is at work in a sandbox that a snapshot or fork would
// end, and that no run begins there until done is called. Where its processes go on, or
// only stand still for a while, there is nothing to do.
func Quiet(ctx context.Context, st *store.Store, row store.SandboxRow, does sandbox.Disruption, who Claimant) (done func(), err error) {
	if does != sandbox.DisruptionStop {
		return func() {}, nil
	}
	if _, err := idle(ctx, st, row.Key, ""); err != nil {
		return nil, err
	}
	l, err := hold(ctx, st, row.Key, who, nil)
	if err != nil {
		return nil, err
	}
	if _, err := idle(ctx, st, row.Key, ""); err != nil {
		l.release(ctx)
		return nil, err
	}
	return func() { l.release(ctx) }, nil
}
