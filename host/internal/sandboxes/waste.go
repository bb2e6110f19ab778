package sandboxes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// WasteKind is for what reason nobody needs a sandbox any more.
type WasteKind string

// The kinds of waste.
const (
	WasteIdle   WasteKind = "idle"   // without use for longer than its lifecycle says
	WasteHalf   WasteKind = "half"   // its making or removal was begun and never finished
	WasteGone   WasteKind = "gone"   // its provider doesn't have it any more: only the row is left
	WasteOrphan WasteKind = "orphan" // its provider has it, made by this store, which doesn't know it
)

// Waste is a sandbox that nobody needs any more.
type Waste struct {
	Kind WasteKind
	Row  store.SandboxRow // zero for an orphan
	ID   string           // the provider's; empty: never known
	Key  string           // empty: an orphan that doesn't say
	Type string           // of the provider
	Spec *config.Spec     // how its provider is configured
	Why  string           // in words
}

// Name is what it is called.
func (w Waste) Name() string {
	return cmp.Or(w.ID, "sandlot-"+w.Key[:min(16, len(w.Key))])
}

// WasteOptions say what counts as waste.
type WasteOptions struct {
	Idle     *time.Duration // how long without use, for all; nil: what the lifecycle of each says
	Patience time.Duration  // for the providers, their start included
	Specs    []*config.Spec // other providers to ask, for orphans; those of known sandboxes are asked anyway
	Who      Claimant
}

// Wasted finds the sandboxes that nobody needs any more. None of them has a live
// run, none is being made or removed by a process that lives, and none has an
// unknown owner or a provider that gave no answer. Nothing is changed; [Collect]
// looks again.
func Wasted(ctx context.Context, st *store.Store, list Lister, o WasteOptions) ([]Waste, []Unreachable, error) {
	rows, err := st.Sandboxes(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list sandboxes: %w", err)
	}
	asked := groups(rows)
	for _, spec := range o.Specs {
		if key := groupOfSpec(spec); asked[key] == nil {
			asked[key] = &answer{spec: spec, extra: true}
		}
	}
	asked = ask(ctx, asked, list, o.Patience)
	seen, err := lookAgain(ctx, st, rows)
	if err != nil {
		return nil, nil, err
	}
	live, last, err := usage(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	var found []Waste
	for _, row := range seen.still {
		a := asked[groupOf(row)]
		if a == nil || a.err != nil || live[row.Key] || live["thread/"+row.Thread] {
			continue
		}
		busy, err := held(ctx, st, row.Key, o.Who)
		if err == nil && !busy {
			busy, err = worked(ctx, st, row.Key, o.Who)
		}
		if err != nil {
			return nil, nil, err
		}
		if busy {
			continue
		}
		w := Waste{Row: row, ID: row.ID, Key: row.Key, Type: row.Type, Spec: a.spec}
		used := latest(row.Used, last[row.Key])
		w.Kind, w.Why = wasteOf(row, a, used, o.Idle)
		if w.Kind != "" {
			found = append(found, w)
		}
	}
	return append(found, orphans(st, seen.ever, asked)...), unreachable(asked), nil
}

// wasteOf says why a sandbox is waste; an empty kind: it isn't.
func wasteOf(row store.SandboxRow, a *answer, used time.Time, idle *time.Duration) (WasteKind, string) {
	there := slices.ContainsFunc(a.list, func(s sandbox.Summary) bool { return is(row, s) })
	switch {
	case row.State == store.Creating:
		return WasteHalf, "its making was begun and never finished"
	case row.State == store.Destroying:
		return WasteHalf, "its removal was begun and never finished"
	case !there:
		return WasteGone, "its provider doesn't have it any more"
	}
	limit, from := keepAlive(row), "keep_alive is "
	if idle != nil {
		limit, from = *idle, "--idle is "
	}
	if since := time.Since(used); since >= limit {
		return WasteIdle, fmt.Sprintf("not used for %s, %s%s", since.Round(time.Second), from, limit)
	}
	return "", ""
}

// keepAlive is how long a sandbox may be without use.
func keepAlive(row store.SandboxRow) time.Duration {
	var spec config.Spec
	_ = json.Unmarshal(row.Spec, &spec) // what can't be read has the default
	return cmp.Or(spec.Lifecycle.KeepAlive, config.DefaultKeepAlive)
}

// usage tells which sandboxes live runs need, by their keys and, as a run that has
// just begun has none yet, by "thread/" and the thread; and when the last run of
// each has ended.
func usage(ctx context.Context, st *store.Store) (live map[string]bool, last map[string]time.Time, err error) {
	live, last = map[string]bool{}, map[string]time.Time{}
	err = st.EachRun(ctx, store.RunFilter{}, func(r store.Run) error {
		if !r.Status.Terminal() {
			live[r.Sandbox], live["thread/"+r.Thread] = true, true
		}
		last[r.Sandbox] = latest(last[r.Sandbox], r.Finished)
		return nil
	})
	delete(live, "")
	if err != nil {
		return nil, nil, fmt.Errorf("look for live runs: %w", err)
	}
	return live, last, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// orphans are the strays that this store has made.
func orphans(st *store.Store, rows []store.SandboxRow, asked map[string]*answer) []Waste {
	var all []Waste
	for _, s := range strayed(rows, asked) {
		if s.Labels.Owner != st.Owner() {
			continue
		}
		all = append(all, Waste{
			Kind: WasteOrphan, ID: s.ID, Key: s.Labels.Key, Type: s.spec.Provider.Type, Spec: s.spec,
			Why: "made by this store, which doesn't know it any more",
		})
	}
	return all
}
