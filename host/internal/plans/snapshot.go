package plans

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// seeSnapshot tells whether a sandbox that is to be made would be made of a snapshot,
// and what making it does otherwise.
func (m *maker) seeSnapshot(ctx context.Context) error {
	s := &m.plan.Sandbox
	if m.Store != nil && m.provider != nil {
		fit, err := m.Engine.Fitting(ctx, m.Spec, m.row.ID, m.provider.Capabilities())
		if err != nil {
			return fmt.Errorf("look for a snapshot: %w", err)
		}
		there := true
		if fit.Snapshot.ID != "" {
			there = m.stillThere(ctx, fit.Snapshot.ID)
		}
		switch {
		case !there:
			s.Why = append(s.Why, fmt.Sprintf("the provider doesn't have the snapshot %s any more", sandboxes.ShortID(fit.Snapshot.ID)))
		case fit.Snapshot.ID != "":
			s.Action, s.Snapshot = "restore", fit.Snapshot.ID
			if fit.Snapshot.Kind == store.SnapshotRun && m.row.Session != "" && m.row.Harness == m.Spec.Harness.Type {
				m.plan.Thread.Session = "goes on with the last one, if the agent can"
			}
			s.Why = append(s.Why, fit.Why)
			return nil
		case fit.Why != "":
			s.Why = append(s.Why, fit.Why)
		}
	}
	s.Steps = m.steps()
	return nil
}

// stillThere reports whether the provider has a snapshot; where it doesn't say, a run
// would try.
func (m *maker) stillThere(ctx context.Context, id string) bool {
	keeper, err := sandbox.AsProvider[sandbox.Snapshotter](m.provider)
	if err != nil {
		return true
	}
	all, err := keeper.Snapshots(ctx)
	return err != nil || slices.ContainsFunc(all, func(s sandbox.Snapshot) bool { return s.ID == id })
}

// warnSnapshots warns of snapshots that were asked for and won't be kept. By default
// they are where they can be.
func (m *maker) warnSnapshots(can sandbox.Capabilities) {
	life := m.Spec.Lifecycle
	if !life.SnapshotAsked || life.Snapshot == config.SnapshotNone {
		return
	}
	switch {
	case !can.Snapshots:
		m.warn("leave it out, or take a provider that has snapshots", "lifecycle.snapshot is %q, and provider %s keeps no snapshots", life.Snapshot, m.Spec.Provider.Type)
	case life.Snapshot == config.SnapshotAfterSetup && len(m.Spec.Workspace.Setup) == 0:
		m.warn("leave it out", "lifecycle.snapshot is %q, and the workspace has no setup that it would save: none is kept", life.Snapshot)
	}
}
