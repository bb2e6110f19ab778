package gc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// snapshots removes those that are of no use any more, after the sandboxes: of these
// one may be made of one, and one may be the last of its setup.
func (c *Collector) snapshots(ctx context.Context, before []store.SnapshotRow, there *sandboxes.Listed) error {
	needs, err := c.needs(ctx)
	if err != nil {
		return err
	}
	found, err := sandboxes.WastedSnapshots(ctx, c.Engine.Store, before, there, needs)
	if err != nil {
		return err
	}
	for _, w := range found {
		r := Removal{Kind: KindSnapshot, Name: w.Row.ID, Why: w.Why, Bytes: w.Size}
		if w.Row.Block != "" {
			r.Why = "block " + w.Row.Block + ": " + w.Why
		}
		if w.Gone {
			r.Kind, r.Bytes = KindSnapshotRow, 0
		}
		if !c.Options.DryRun {
			r.Err = c.collectSnapshot(ctx, w)
		}
		if errors.Is(r.Err, sandboxes.ErrCollected) {
			continue
		}
		if _, kept := errors.AsType[*sandboxes.KeptError](r.Err); kept {
			r.Kept, r.Err = r.Err, nil
		}
		c.Tell(r)
	}
	return nil
}

func (c *Collector) collectSnapshot(ctx context.Context, w sandboxes.SnapshotWaste) error {
	p, err := c.Engine.Provider(ctx, w.Spec)
	if err != nil {
		return err
	}
	defer p.Close()
	return sandboxes.CollectSnapshot(ctx, c.Engine.Store, p, w, claimant())
}

// needs is what snapshots may be of use for: the setups that sandboxes have or that runs
// lately had, and the threads of those.
func (c *Collector) needs(ctx context.Context) (sandboxes.Needs, error) {
	n := sandboxes.Needs{Setups: map[string]bool{}, Threads: map[string]bool{}, Recent: c.Options.Journals}
	rows, err := c.Engine.Store.Sandboxes(ctx)
	if err != nil {
		return n, fmt.Errorf("list sandboxes: %w", err)
	}
	for _, row := range rows {
		n.Setups[row.SetupKey] = true
	}
	err = c.Engine.Store.EachRun(ctx, store.RunFilter{}, func(r store.Run) error {
		if r.Status.Terminal() && time.Since(r.Finished) > n.Recent {
			return nil
		}
		n.Threads[r.Thread] = true
		var record struct{ Spec *config.Spec }
		if json.Unmarshal(r.Spec, &record) == nil && record.Spec != nil {
			if key, err := record.Spec.SetupKey(""); err == nil {
				n.Setups[key] = true
			}
		}
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("look for setups of runs: %w", err)
	}
	return n, nil
}

// snapshotSpecs are the specs of snapshots, whose providers are asked too.
func snapshotSpecs(rows []store.SnapshotRow) (all []*config.Spec) {
	for _, row := range rows {
		spec := &config.Spec{}
		if json.Unmarshal(row.Spec, spec) == nil {
			all = append(all, spec)
		}
	}
	return all
}
