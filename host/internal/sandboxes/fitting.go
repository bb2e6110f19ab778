package sandboxes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Fit is what there is of snapshots for a sandbox that is to be made.
type Fit struct {
	Snapshot store.SnapshotRow // it is made of this one; with an empty ID: anew
	Why      string            // in words: why of this one, or why of none; empty: none could be
	Keep     bool              // a snapshot is to be kept once it is set up

	source string // what the source is like now
}

// Fitting finds the snapshot that a sandbox would be made of. That of the thread's
// last run counts where those are kept; else the newest that was kept after the same
// setup, if it is younger than MaxAge and the source hasn't changed since. Where the
// source can't be asked for its state, one that can be used is better than none.
// Nothing is changed.
func Fitting(ctx context.Context, st *store.Store, can sandbox.Capabilities, w Want) (Fit, error) {
	switch {
	case !can.Snapshots:
		return Fit{}, nil
	case w.Snapshot == config.SnapshotAfterRun:
		return ofRun(ctx, st, w)
	case w.Snapshot == config.SnapshotAfterSetup && len(w.Fill.Workspace.Setup) > 0:
		return ofSetup(ctx, st, w)
	}
	return Fit{}, nil
}

func ofRun(ctx context.Context, st *store.Store, w Want) (Fit, error) {
	rows, err := st.SnapshotsOf(ctx, w.SetupKey, store.SnapshotRun)
	if err != nil {
		return Fit{}, fmt.Errorf("look for a snapshot: %w", err)
	}
	for _, row := range rows {
		if row.Key == w.Key && row.Type == w.Type {
			return Fit{Snapshot: row, Why: "it was kept after the thread's last run, " + old(row) + " ago"}, nil
		}
	}
	return Fit{Why: "no snapshot was kept after a run of the thread"}, nil
}

func ofSetup(ctx context.Context, st *store.Store, w Want) (Fit, error) {
	rows, err := st.SnapshotsOf(ctx, w.SetupKey, store.SnapshotSetup)
	if err != nil {
		return Fit{}, fmt.Errorf("look for a snapshot: %w", err)
	}
	now, err := w.Fill.State(ctx)
	if ctx.Err() != nil {
		return Fit{}, context.Cause(ctx)
	}
	f := Fit{Keep: err == nil, source: now, Why: "no snapshot was kept after the same setup"}
	for _, row := range rows {
		switch {
		case row.Type != w.Type:
		case time.Since(row.Created) > w.MaxAge:
			f.Why = fmt.Sprintf("the snapshot %s is %s old, snapshot_max_age is %s", ShortID(row.ID), old(row), w.MaxAge)
			return f, nil // all others are older
		case err != nil:
			f.Snapshot, f.Why = row, fmt.Sprintf("it was kept %s ago after the same setup; whether the source has changed since can't be told: %v", old(row), err)
			return f, nil
		case row.Source == now:
			f.Snapshot, f.Why = row, "it was kept "+old(row)+" ago after the same setup, and the source hasn't changed since"
			return f, nil
		default:
			f.Why = fmt.Sprintf("the source has changed since the snapshot %s was kept, %s ago", ShortID(row.ID), old(row))
		}
	}
	return f, nil
}

// ShortID is enough of a snapshot's id for a person to name it by: of a digest the first
// twelve digits.
func ShortID(id string) string {
	_, digits, ok := strings.Cut(id, ":")
	if !ok || len(digits) < 32 || strings.Trim(digits, "0123456789abcdef") != "" {
		return id
	}
	return digits[:12]
}

// old is the age of a snapshot, for a person.
func old(row store.SnapshotRow) string {
	d := time.Since(row.Created)
	switch {
	case d < time.Second:
		return "a moment"
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}

// restored is a snapshot as an origin.
func restored(p sandbox.Provider, f Fit) (origin, error) {
	s, err := sandbox.AsProvider[sandbox.Snapshotter](p)
	if err != nil {
		return origin{}, fmt.Errorf("restore snapshot %s: %w", f.Snapshot.ID, err)
	}
	return origin{
		phase: "restore", detail: ShortID(f.Snapshot.ID) + ", kept " + old(f.Snapshot) + " ago", filled: true,
		make: func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			return s.Restore(ctx, f.Snapshot.ID, req)
		},
		explain: func(err error) error { return unrestored(f.Snapshot.ID, err) },
	}, nil
}
