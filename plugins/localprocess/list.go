package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// List tells the sandboxes of this owner, and those that don't say whose they
// are.
func (p *provider) List(ctx context.Context) ([]sandbox.Summary, error) {
	entries, err := os.ReadDir(p.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, sandbox.Errorf(sandbox.Unavailable, "list sandboxes: %w", err)
	}
	var list []sandbox.Summary
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pl, ok := p.placeOfID("sandlot-" + e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		s := sandbox.Summary{ID: pl.id, State: sandbox.StateRunning}
		if o, err := readOwner(pl.state()); err == nil && o.Labels.Owner != "" {
			s.Labels, s.Created = o.Labels, o.Created
		} else {
			s.Labels.Owner = sandbox.OwnerUnknown
		}
		if p.owner == "" || s.Labels.Owner == p.owner || s.Labels.Owner == sandbox.OwnerUnknown {
			list = append(list, s)
		}
	}
	return list, nil
}
