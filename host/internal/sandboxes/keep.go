package sandboxes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/workspace"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// SnapshotTimeout bounds the making of one snapshot.
const SnapshotTimeout = 10 * time.Minute

// Keep makes a snapshot of a sandbox and notes it. Row says all but what the provider
// tells: whose it is, and what for. Who makes another one of the same sandbox is waited
// for. When ctx ends, or it can't be noted, what was made is unmade.
func Keep(ctx context.Context, st *store.Store, p sandbox.Provider, sb sandbox.Sandbox, row store.SnapshotRow, labels sandbox.Labels, who Claimant, tell func(Phase)) (store.SnapshotRow, error) {
	can, err := sandbox.As[sandbox.Snapshotable](sb)
	if err != nil {
		return row, fmt.Errorf("make snapshot of sandbox %s: %w", sb.ID(), err)
	}
	l, err := holdAs(ctx, st, snapshotLease(row.Key), who, func(o leaseOwner) {
		tell(Phase{Name: "wait", State: "progress", Detail: "for " + o.String() + ", which makes a snapshot of the sandbox"})
	})
	if err != nil {
		return row, err
	}
	defer l.release(ctx)
	done := workspace.Begin(tell, "snapshot", sb.ID())
	row, err = keep(ctx, l, p, sb.ID(), can, row, labels, tell)
	done(ShortID(row.ID), err)
	return row, err
}

func keep(ctx context.Context, l *lease, p sandbox.Provider, id string, sb sandbox.Snapshotable, row store.SnapshotRow, labels sandbox.Labels, tell func(Phase)) (store.SnapshotRow, error) {
	limited, cancel := context.WithTimeoutCause(ctx, SnapshotTimeout,
		sandbox.Errorf(sandbox.TimedOut, "snapshot took longer than %s", SnapshotTimeout))
	defer cancel()
	row.Created, row.Sandbox = time.Now(), id // of what it holds, not of when it was done
	made, err := sb.Snapshot(limited, sandbox.SnapshotRequest{Label: row.Label, Labels: labels, Progress: progress(tell, func() {})})
	if err = becauseOf(limited, err); err != nil {
		return row, fmt.Errorf("make snapshot of sandbox %s: %w", id, err)
	}
	row.ID, row.Size = made.ID, made.Size
	after := context.WithoutCancel(ctx)
	if err = l.still(after); err == nil {
		err = l.store.PutSnapshot(after, row)
	}
	if err != nil {
		return row, errors.Join(fmt.Errorf("note snapshot %s: %w", row.ID, err), drop(after, p, row.ID))
	}
	return row, nil
}

// drop removes a snapshot from its provider.
func drop(ctx context.Context, p sandbox.Provider, id string) error {
	ctx, cancel := context.WithTimeout(ctx, DestroyTimeout)
	defer cancel()
	s, err := sandbox.AsProvider[sandbox.Snapshotter](p)
	if err == nil {
		err = s.DeleteSnapshot(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("delete snapshot %s: %w", id, err)
	}
	return nil
}

// DropSnapshot removes a snapshot and its row.
func DropSnapshot(ctx context.Context, st *store.Store, p sandbox.Provider, row store.SnapshotRow) error {
	if err := drop(ctx, p, row.ID); err != nil {
		return err
	}
	return st.DeleteSnapshot(ctx, row.Type, row.ID)
}

// keepSetup keeps a snapshot of a sandbox that has just been set up. The sandbox is as
// good without one: a failure is told by the phase, and nothing else comes of it.
func keepSetup(ctx context.Context, l *lease, p sandbox.Provider, sb sandbox.Sandbox, w Want, f Fit, tell func(Phase)) {
	if !f.Keep || !sb.Info().Capabilities.Snapshots || l.still(ctx) != nil {
		return
	}
	if since, err := Fitting(ctx, l.store, p.Capabilities(), w); err != nil || since.Snapshot.ID != "" || since.source != f.source {
		return // somebody else has kept one meanwhile, or the source has changed while it was copied
	}
	row := w.snapshot(store.SnapshotSetup, f.source)
	row.Label = "after setup"
	_ = keepOne(ctx, l.store, p, sb, w, row, tell)
}

// KeepRun keeps a snapshot after a run, in place of the one that was kept after the
// thread's run before, where the lifecycle wants it and the sandbox can.
func KeepRun(ctx context.Context, st *store.Store, p sandbox.Provider, sb sandbox.Sandbox, w Want, tell func(Phase)) error {
	if w.Snapshot != config.SnapshotAfterRun || !sb.Info().Capabilities.Snapshots {
		return nil
	}
	row := w.snapshot(store.SnapshotRun, "")
	row.Label = strings.TrimSpace("after run " + w.Run)
	return keepOne(ctx, st, p, sb, w, row, tell)
}

// keepOne keeps a snapshot and removes those that it takes the place of, as far as
// that is possible now: gc looks after the rest.
func keepOne(ctx context.Context, st *store.Store, p sandbox.Provider, sb sandbox.Sandbox, w Want, row store.SnapshotRow, tell func(Phase)) error {
	kept, err := Keep(ctx, st, p, sb, row, w.labels(st), w.Claimant, tell)
	if err != nil {
		return err
	}
	all, err := st.SnapshotsOf(ctx, kept.SetupKey, kept.Kind)
	if err != nil {
		return nil //nolint:nilerr // the new one is there
	}
	for _, other := range all {
		if other.ID != kept.ID && other.Type == kept.Type && replaces(kept, other) {
			_ = DropSnapshot(context.WithoutCancel(ctx), st, p, other)
		}
	}
	return nil
}

// replaces reports whether a snapshot takes the place of an older one of its setup
// key and kind.
func replaces(newer, older store.SnapshotRow) bool {
	return newer.Kind == store.SnapshotSetup || newer.Kind == store.SnapshotRun && newer.Key == older.Key
}

// snapshot is the row of a snapshot of the sandbox.
func (w Want) snapshot(kind store.SnapshotKind, source string) store.SnapshotRow {
	return store.SnapshotRow{
		Type: w.Type, Kind: kind, SetupKey: w.SetupKey, Key: w.Key, Source: source, Block: w.Block, Thread: w.Thread,
		Config: w.Config, Spec: w.Spec,
	}
}

// unrestored says what becomes of a snapshot of which no sandbox could be made.
func unrestored(id string, err error) error {
	switch sandbox.ClassOf(err) {
	case sandbox.NotFound:
		return fmt.Errorf("%w; snapshot %s is forgotten", err, ShortID(id))
	case sandbox.Internal, sandbox.Invalid, sandbox.Conflict:
		return fmt.Errorf("%w; to do without that snapshot: sandlot snapshot rm %s", err, ShortID(id))
	}
	return err
}
