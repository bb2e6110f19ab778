package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// List tells the sandboxes of this owner, and those that don't say whose they
// are. It removes what is left of sandboxes that were destroyed or never
// finished, as far as that takes no time.
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
		s := sandbox.Summary{ID: pl.id, State: sandbox.StateRunning, Labels: sandbox.Labels{Owner: sandbox.OwnerUnknown}}
		if o, err := readOwner(pl.state()); err == nil && o.of(pl) {
			s.Labels, s.Created = o.Labels, o.Created
		}
		if p.owner == "" || s.Labels.Owner == p.owner || s.Labels.Owner == sandbox.OwnerUnknown {
			list = append(list, s)
		}
	}
	p.sweepFor(ctx, sweepTime)
	return list, nil
}

// sweepTime is how long a list may take longer for what it tidies. What is begun
// goes on until this program ends, and then with the next list.
const sweepTime = 200 * time.Millisecond

func (p *provider) sweepFor(ctx context.Context, d time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.sweep(context.WithoutCancel(ctx), false)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}
