package sandboxes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/workspace"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// DestroyTimeout bounds the removal of one sandbox.
const DestroyTimeout = 60 * time.Second

// InUseError says that a live run needs the sandbox, or that somebody works in it.
type InUseError struct {
	ID  string
	Run string // id of the run; empty: it is By
	By  string // who works in it, e.g. "sandlot exec (pid 4711)"
}

func (e *InUseError) Error() string {
	if e.Run == "" {
		return fmt.Sprintf("sandbox %s is in use by %s", e.ID, e.By)
	}
	return fmt.Sprintf("sandbox %s is in use by run %s", e.ID, e.Run)
}

// Destroy removes a sandbox and its row. With a live run other than except it
// refuses with an *InUseError, and stops where who may not go on. It has its own
// time limit, so that a canceled run can still clean up.
//
// Somebody's work in it (see [Begin]) is in the way of a person's removal, and not
// of that by the run to which it belongs: what a run is to leave nothing of, or
// can't end otherwise, goes with all in it.
func Destroy(ctx context.Context, st *store.Store, p sandbox.Provider, key, except string, who Claimant) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DestroyTimeout)
	defer cancel()
	// Asked before the lease too: while a sandbox is made, its run holds that, for
	// as long as setup takes.
	row, err := idle(ctx, st, key, except)
	if err != nil {
		return missing(err)
	}
	if except == "" {
		if err := unclaimed(ctx, st, row, who); err != nil {
			return err
		}
	}
	l, err := hold(ctx, st, key, who, nil)
	if err != nil {
		return err
	}
	defer l.release(ctx)
	if row, err = idle(ctx, st, key, except); err != nil {
		return missing(err)
	}
	if except == "" && !row.HalfMade() {
		if err := l.still(ctx); err != nil {
			return err
		}
		if err := unused(ctx, st, row, who); err != nil {
			return err
		}
	}
	return remove(ctx, l, p, row)
}

// idle is the row of a sandbox that no live run but except uses.
func idle(ctx context.Context, st *store.Store, key, except string) (store.SandboxRow, error) {
	row, err := st.Sandbox(ctx, key)
	if err != nil {
		return row, fmt.Errorf("look up sandbox: %w", err)
	}
	run, err := LiveRun(ctx, st, row)
	if err == nil && run != "" && run != except {
		err = &InUseError{ID: nameOf(row), Run: run}
	}
	return row, err
}

// unclaimed says who is making a sandbox that a person wants removed: it isn't to
// be waited for.
func unclaimed(ctx context.Context, st *store.Store, row store.SandboxRow, who Claimant) error {
	holder, err := st.LeaseHolder(ctx, leaseName(row.Key))
	if err != nil {
		return fmt.Errorf("look who makes the sandbox: %w", err)
	}
	if o := ownerOf(holder); o.What != "" && !who.knowsGone(o.Process) {
		return &InUseError{ID: nameOf(row), By: o.String()}
	}
	return nil
}

// nameOf is what a sandbox is called: its id, or the name it was to get.
func nameOf(row store.SandboxRow) string {
	return cmp.Or(row.ID, "sandlot-"+row.Key[:min(16, len(row.Key))])
}

// missing is the error of a sandbox that is to be removed: none if there is none.
func missing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// LiveRun is the id of the run that uses a sandbox now; empty if none does.
func LiveRun(ctx context.Context, st *store.Store, row store.SandboxRow) (string, error) {
	for _, status := range []store.Status{store.Running, store.Pending} {
		runs, err := st.Runs(ctx, store.RunFilter{Status: status})
		if err != nil {
			return "", fmt.Errorf("look for runs of sandbox %s: %w", row.ID, err)
		}
		for _, r := range runs {
			if r.Sandbox == row.Key {
				return r.ID, nil
			}
		}
	}
	return "", nil
}

func remove(ctx context.Context, l *lease, p sandbox.Provider, row store.SandboxRow) error {
	st, id := l.store, row.ID
	if id == "" { // its create never came to an end that we saw
		found, err := find(ctx, p, row.Key)
		if err != nil {
			return fmt.Errorf("look for what an unfinished create left: %w", err)
		}
		id = found
	}
	if id != "" {
		if row.HalfMade() {
			if err := undo(ctx, l, p, id); err != nil {
				return err
			}
		}
		if err := st.SetSandboxState(ctx, row.Key, store.Destroying); err != nil {
			return fmt.Errorf("note removal of sandbox %s: %w", id, err)
		}
		if err := l.still(ctx); err != nil {
			return err
		}
		if err := p.Destroy(ctx, id); err != nil {
			return fmt.Errorf("destroy sandbox %s: %w", id, err)
		}
	}
	if err := st.DeleteSandbox(ctx, row.Key); err != nil {
		return fmt.Errorf("forget sandbox %s: %w", id, err)
	}
	return nil
}

// undo empties a half-made sandbox, if it can be reached: it may work in a folder
// that stays when it is removed.
func undo(ctx context.Context, l *lease, p sandbox.Provider, id string) error {
	if err := l.still(ctx); err != nil {
		return err
	}
	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		return nil //nolint:nilerr // to remove it is still possible, and matters more
	}
	if err := workspace.Undo(ctx, sb); err != nil {
		return fmt.Errorf("undo what was begun in sandbox %s: %w", id, err)
	}
	return nil
}

// find asks the provider for the sandbox of a key; empty if it has none.
func find(ctx context.Context, p sandbox.Provider, key string) (string, error) {
	all, err := p.List(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Labels.Key == key {
			return s.ID, nil
		}
	}
	return "", nil
}
