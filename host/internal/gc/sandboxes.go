package gc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// sandboxes removes sandboxes, then snapshots.
func (c *Collector) sandboxes(ctx context.Context) error {
	st := c.Engine.Store
	specs, err := c.formerSpecs(ctx)
	if err != nil {
		return err
	}
	snapshots, err := st.Snapshots(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	var there sandboxes.Listed
	found, lost, err := sandboxes.Wasted(ctx, st, c.Engine.ListAll(&there), sandboxes.WasteOptions{
		Idle: c.Options.Idle, Patience: Patience, Specs: append(specs, snapshotSpecs(snapshots)...), Who: claimant(),
	})
	if err != nil {
		return err
	}
	for _, u := range lost {
		c.Unreachable(fmt.Sprintf("provider %q %q is unreachable, so its sandboxes and snapshots are kept: %s", u.Type, u.Block, u.Err))
	}
	for _, w := range found {
		r := Removal{Kind: KindSandbox, Name: w.Name(), Why: c.why(ctx, w), Bytes: c.sizeOf(w)}
		if w.Kind == sandboxes.WasteGone {
			r.Kind, r.Bytes = KindRow, 0
		}
		if !c.Options.DryRun {
			r.Err = c.collect(ctx, w)
		}
		if errors.Is(r.Err, sandboxes.ErrCollected) {
			continue // that one tells of it
		}
		_, kept := errors.AsType[*sandboxes.KeptError](r.Err)
		_, used := errors.AsType[*sandboxes.InUseError](r.Err)
		if kept || used {
			r.Kept, r.Err = r.Err, nil
		}
		c.Tell(r)
	}
	return c.snapshots(ctx, snapshots, &there)
}

// claimant is this process in messages to others.
func claimant() sandboxes.Claimant {
	who := runs.Claimant()
	who.What = "sandlot gc"
	return who
}

func (c *Collector) collect(ctx context.Context, w sandboxes.Waste) error {
	p, err := c.Engine.Provider(ctx, w.Spec)
	if err != nil {
		return err
	}
	defer p.Close()
	if w.Kind == sandboxes.WasteIdle {
		if err := c.Engine.Rescue(ctx, p, w.Row); err != nil {
			return err
		}
	}
	return sandboxes.Collect(ctx, c.Engine.Store, p, w, claimant())
}

// why says of which block and thread a sandbox is, and why it goes.
func (c *Collector) why(ctx context.Context, w sandboxes.Waste) string {
	if w.Row.Key == "" {
		return w.Why
	}
	of := "block " + w.Row.Block
	if t, err := c.Engine.Store.ThreadByID(ctx, w.Row.Thread); err == nil {
		of += ", thread " + t.Name
	}
	return of + ": " + w.Why
}

// sizeOf measures what a sandbox takes on this machine, where it is kept below the
// host's own folder.
func (c *Collector) sizeOf(w sandboxes.Waste) int64 {
	if len(w.Key) < 16 || !filepath.IsLocal(w.Key[:16]) {
		return Unknown
	}
	return size(filepath.Join(c.Engine.Home, "sandboxes", w.Key[:16]))
}

// formerSpecs are the specs of runs whose providers may have a sandbox that no row
// tells of, one of each configuration.
func (c *Collector) formerSpecs(ctx context.Context) ([]*config.Spec, error) {
	seen := map[string]bool{}
	var all []*config.Spec
	err := c.Engine.Store.EachRun(ctx, store.RunFilter{}, func(r store.Run) error {
		var record struct{ Spec *config.Spec }
		if json.Unmarshal(r.Spec, &record) != nil || record.Spec == nil {
			return nil
		}
		p := record.Spec.Provider
		if key := p.Type + "\x00" + string(p.Config); !seen[key] {
			seen[key] = true
			all = append(all, record.Spec)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for providers of former runs: %w", err)
	}
	return all, nil
}
