package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Entry is one run in a list.
type Entry struct {
	Run      store.Run // without its spec, which holds the prompt, and its keys
	Block    string    // name of the sandbox block
	Provider string    // type of the provider
	Driven   bool      // a driver that lives has it
	// Waits is the request that the run waits on; nil if there is none.
	Waits *store.Approval

	lifecycle config.Lifecycle
}

// List lists runs, newest first.
func List(ctx context.Context, st *store.Store, f store.RunFilter) ([]Entry, error) {
	var all []Entry
	err := st.EachRun(ctx, f, func(r store.Run) error {
		e := entryOf(r)
		all = append(all, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	for i := range all {
		e := &all[i]
		if e.Run.WaitingOn == "" {
			continue
		}
		waits, err := st.Approval(ctx, e.Run.ID, e.Run.WaitingOn)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
		e.Waits = &waits
	}
	return all, nil
}

// entryOf keeps what a list tells. A spec that can't be read is no reason to
// leave a run out.
func entryOf(r store.Run) Entry {
	var spec struct {
		Spec struct {
			Block     string
			Provider  struct{ Type string }
			Lifecycle config.Lifecycle
		}
	}
	_ = json.Unmarshal(r.Spec, &spec)
	e := Entry{Block: spec.Spec.Block, Provider: spec.Spec.Provider.Type, Driven: Driven(r), lifecycle: spec.Spec.Lifecycle}
	r.Spec, r.HashKey = nil, nil
	e.Run = r
	return e
}
