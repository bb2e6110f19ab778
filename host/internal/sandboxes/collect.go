package sandboxes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// KeptError says why what was waste isn't any more.
type KeptError struct {
	ID, Why string
	What    string // that it is; empty: a sandbox
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%s %s is kept: %s", cmp.Or(e.What, "sandbox"), e.ID, e.Why)
}

// ErrCollected says that somebody else has removed it meanwhile.
var ErrCollected = errors.New("another process has removed it")

// Collect removes waste that Wasted has found, with its row. It looks again under
// the sandbox's lease, which every run that makes or resumes it needs: what was
// taken into use meanwhile stays, with a *KeptError or an *InUseError; what is gone
// already is [ErrCollected]. Nobody is waited for. It has its own time limit.
func Collect(ctx context.Context, st *store.Store, p sandbox.Provider, w Waste, who Claimant) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DestroyTimeout)
	defer cancel()
	l, err := tryHold(ctx, st, w, who)
	if err != nil {
		return err
	}
	defer l.release(ctx)
	if w.Kind == WasteOrphan {
		return collectOrphan(ctx, l, p, w)
	}
	row, err := idle(ctx, st, w.Key, "")
	if errors.Is(err, store.ErrNotFound) {
		return ErrCollected
	}
	if err != nil {
		return err
	}
	if row.ID != w.ID || row.State != w.Row.State || !row.Used.Equal(w.Row.Used) {
		return &KeptError{ID: w.Name(), Why: "it was used a moment ago"}
	}
	if busy, err := begun(ctx, st, row); err != nil || busy != "" {
		return errors.Join(err, inUse(row, busy))
	}
	if w.Kind == WasteGone {
		return forget(ctx, l, p, row, who)
	}
	if !row.HalfMade() {
		if err := l.still(ctx); err != nil {
			return err
		}
		if err := unused(ctx, st, row, who); err != nil {
			return err
		}
	}
	return remove(ctx, l, p, row)
}

// tryHold takes the lease of a sandbox unless somebody has it.
func tryHold(ctx context.Context, st *store.Store, w Waste, who Claimant) (*lease, error) {
	busy, err := held(ctx, st, w.Key, who)
	if err != nil {
		return nil, err
	}
	if busy {
		return nil, &KeptError{ID: w.Name(), Why: "another process is making or removing it"}
	}
	// Somebody may still be faster; who that is lets go of it soon, or makes it anew.
	soon, cancel := context.WithTimeout(ctx, leaseRenew)
	defer cancel()
	l, err := hold(soon, st, w.Key, who, nil)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return nil, &KeptError{ID: w.Name(), Why: "another process is making or removing it"}
	}
	return l, err
}

// begun is a live run of the sandbox's thread that hasn't said yet which sandbox
// it needs.
func begun(ctx context.Context, st *store.Store, row store.SandboxRow) (run string, err error) {
	if row.Thread == "" {
		return "", nil
	}
	err = st.EachRun(ctx, store.RunFilter{Status: store.Pending}, func(r store.Run) error {
		if r.Thread == row.Thread {
			run = r.ID
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look for runs of the thread: %w", err)
	}
	return run, nil
}

func inUse(row store.SandboxRow, run string) error {
	if run == "" {
		return nil
	}
	return &InUseError{ID: nameOf(row), Run: run}
}

// forget removes the row of a sandbox that its provider still doesn't have. What
// isn't listed may be where the provider doesn't look now, on another account or
// engine say: a Destroy tells.
func forget(ctx context.Context, l *lease, p sandbox.Provider, row store.SandboxRow, who Claimant) error {
	all, err := p.List(ctx)
	if err != nil {
		return fmt.Errorf("list sandboxes: %w", err)
	}
	if slices.ContainsFunc(all, func(s sandbox.Summary) bool { return is(row, s) }) {
		return &KeptError{ID: nameOf(row), Why: "its provider has it again"}
	}
	if err := l.still(ctx); err != nil {
		return err
	}
	if err := unused(ctx, l.store, row, who); err != nil {
		return err
	}
	if err := p.Destroy(ctx, row.ID); err != nil {
		return fmt.Errorf("look for sandbox %s: %w", nameOf(row), err)
	}
	if err := l.store.DeleteSandbox(ctx, row.Key); err != nil {
		return fmt.Errorf("forget sandbox %s: %w", nameOf(row), err)
	}
	return nil
}

// collectOrphan removes a sandbox without a row: if it still has none, and its
// provider still says that it is ours.
func collectOrphan(ctx context.Context, l *lease, p sandbox.Provider, w Waste) error {
	rows, err := l.store.Sandboxes(ctx)
	if err != nil {
		return fmt.Errorf("list sandboxes: %w", err)
	}
	if slices.ContainsFunc(rows, func(r store.SandboxRow) bool { return r.Key == w.Key || r.Type == w.Type && r.ID == w.ID }) {
		return &KeptError{ID: w.ID, Why: "a run is using it now"}
	}
	all, err := p.List(ctx)
	if err != nil {
		return fmt.Errorf("list sandboxes: %w", err)
	}
	i := slices.IndexFunc(all, func(s sandbox.Summary) bool { return s.ID == w.ID })
	if i < 0 {
		return ErrCollected
	}
	if all[i].Labels.Owner != l.store.Owner() || all[i].Labels.Key != w.Key {
		return &KeptError{ID: w.ID, Why: "it doesn't say any more that this store has made it"}
	}
	if err := l.still(ctx); err != nil {
		return err
	}
	if err := p.Destroy(ctx, w.ID); err != nil {
		return fmt.Errorf("destroy sandbox %s: %w", w.ID, err)
	}
	return nil
}
