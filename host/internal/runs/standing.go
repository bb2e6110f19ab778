package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// standing is an earlier answer that was given for all equal requests; by is empty
// where there is none. A request that says nothing of its target is like no other.
// What was allowed for the thread counts in the place that it was allowed in: what
// may be done in a sandbox that is thrown away may not be meant for a folder of the
// person's. What was denied is denied everywhere.
func (p *pump) standing(ctx context.Context, row store.Approval) (decision store.Decision, scope, by string, err error) {
	if row.Target == "" {
		return store.Undecided, "", "", nil
	}
	all, err := lookUp(ctx, p.log, func() ([]store.Approval, error) { return p.Store.Standing(ctx, p.run.ID, row.Kind, row.Target) })
	for _, a := range all {
		counts := a.Decision == store.Deny
		if !counts {
			if counts, err = p.here(ctx, a.Run); err != nil {
				return store.Undecided, "", "", err
			}
		}
		if counts {
			return a.Decision, a.Scope, a.By, nil
		}
	}
	if err != nil {
		return store.Undecided, "", "", fmt.Errorf("look for an earlier answer to request %s: %w", row.ID, err)
	}
	return store.Undecided, "", "", nil
}

// here reports whether another run of the thread had the same place as this one.
func (p *pump) here(ctx context.Context, run string) (bool, error) {
	if run == p.run.ID {
		return true, nil
	}
	if known, ok := p.places[run]; ok {
		return known, nil
	}
	before, err := lookUp(ctx, p.log, func() (store.Run, error) { return p.Store.Run(ctx, run) })
	if err != nil {
		return false, fmt.Errorf("look where run %s was: %w", run, err)
	}
	record, err := decodeRecord(before.Spec)
	same := err == nil && config.SamePlace(record.Spec, p.record.Spec) // one that can't be read was elsewhere
	if p.places == nil {
		p.places = map[string]bool{}
	}
	p.places[run] = same
	return same, nil
}
