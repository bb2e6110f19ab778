package sandboxes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Listed are the snapshots that providers say they have. Its zero value is ready, and
// its methods may be called concurrently.
type Listed struct {
	mu sync.Mutex
	by map[string]listed
}

type listed struct {
	spec *config.Spec
	all  []sandbox.Snapshot
}

// Add notes what the provider of a spec has; one that isn't added gave no answer.
func (l *Listed) Add(spec *config.Spec, all []sandbox.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil {
		l.by = map[string]listed{}
	}
	l.by[groupOfSpec(spec)] = listed{spec, all}
}

// SnapshotWaste is a snapshot that nobody needs any more.
type SnapshotWaste struct {
	Row  store.SnapshotRow // its id alone of an orphan
	Key  string            // of the sandbox of which it was made
	Spec *config.Spec      // how its provider is configured
	Size int64             // bytes; -1 where unknown
	Why  string            // in words

	Orphan bool // the store doesn't know it
	Gone   bool // its provider doesn't have it any more: only the row is left
}

// Needs is what snapshots may still be of use for.
type Needs struct {
	Setups  map[string]bool // setup keys of sandboxes, and of runs that aren't long ago
	Threads map[string]bool // ids of those with a run that isn't long ago
	Recent  time.Duration   // what isn't long ago
}

// WastedSnapshots finds the snapshots that nobody needs any more. Before are the rows
// as they were before the providers were asked. Those made by hand are needed as long
// as there are any. Nothing is changed.
func WastedSnapshots(ctx context.Context, st *store.Store, before []store.SnapshotRow, l *Listed, n Needs) ([]SnapshotWaste, error) {
	now, err := st.Snapshots(ctx)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []SnapshotWaste
	for _, row := range now {
		spec := specOf(row)
		there, answered := l.by[groupOfSpec(spec)]
		if !answered {
			continue
		}
		w := SnapshotWaste{Row: row, Key: row.Key, Spec: spec, Size: row.Size}
		switch known := slices.ContainsFunc(there.all, func(s sandbox.Snapshot) bool { return s.ID == row.ID }); {
		case !known && slices.ContainsFunc(before, sameAs(row)):
			w.Gone, w.Why = true, "its provider doesn't have it any more"
		case known:
			w.Why = useless(row, spec, now, n)
		}
		if w.Why != "" {
			all = append(all, w)
		}
	}
	return append(all, l.orphans(st.Owner(), now)...), nil
}

// useless says why a snapshot isn't of use any more; empty: it is.
func useless(row store.SnapshotRow, spec *config.Spec, all []store.SnapshotRow, n Needs) string {
	newer := slices.ContainsFunc(all, func(o store.SnapshotRow) bool {
		return o.ID != row.ID && o.Type == row.Type && o.Kind == row.Kind && o.SetupKey == row.SetupKey && o.Created.After(row.Created) && replaces(o, row)
	})
	switch maxAge := spec.Lifecycle.SnapshotMaxAge; {
	case row.Kind == store.SnapshotHand:
		return ""
	case newer:
		return "there is a newer one"
	case row.Kind == store.SnapshotRun && !n.Threads[row.Thread]:
		return fmt.Sprintf("its thread had no run for %s", n.Recent)
	case row.Kind == store.SnapshotRun:
		return ""
	case time.Since(row.Created) > maxAge:
		return fmt.Sprintf("it is %s old, snapshot_max_age is %s", old(row), maxAge)
	case !n.Setups[row.SetupKey]:
		return fmt.Sprintf("no sandbox has the same setup, and no run had for %s", n.Recent)
	}
	return ""
}

// orphans are the snapshots that this store has made and doesn't know, each once:
// several blocks may list the same backend. The lock is held.
func (l *Listed) orphans(owner string, rows []store.SnapshotRow) (all []SnapshotWaste) {
	seen := map[[2]string]bool{}
	for _, row := range rows {
		seen[[2]string{row.Type, row.ID}] = true
	}
	for _, there := range l.by {
		typ := there.spec.Provider.Type
		for _, s := range there.all {
			if id := [2]string{typ, s.ID}; s.Labels.Owner == owner && !seen[id] {
				seen[id] = true
				all = append(all, SnapshotWaste{
					Row: store.SnapshotRow{ID: s.ID, Type: typ}, Key: s.Labels.Key, Spec: there.spec, Size: s.Size, Orphan: true,
					Why: "made by this store, which doesn't know it any more",
				})
			}
		}
	}
	slices.SortFunc(all, func(a, b SnapshotWaste) int { return compare(a.Row.Type, b.Row.Type, a.Row.ID, b.Row.ID) })
	return all
}

func sameAs(row store.SnapshotRow) func(store.SnapshotRow) bool {
	return func(o store.SnapshotRow) bool { return o.Type == row.Type && o.ID == row.ID }
}

// specOf is how the provider of a snapshot is configured.
func specOf(row store.SnapshotRow) *config.Spec {
	spec := &config.Spec{}
	_ = json.Unmarshal(row.Spec, spec) // what can't be read is found when it is asked
	spec.Provider.Type, spec.Provider.Config = row.Type, row.Config
	return spec
}

// CollectSnapshot removes waste that WastedSnapshots has found. It looks again under
// the lease of who makes snapshots of that sandbox, and, of what a thread may go on
// from, of who makes the sandbox. What became of use meanwhile stays, with a
// *[KeptError]; what is gone is [ErrCollected].
func CollectSnapshot(ctx context.Context, st *store.Store, p sandbox.Provider, w SnapshotWaste, who Claimant) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DestroyTimeout)
	defer cancel()
	kept := func(why string) error { return &KeptError{ID: ShortID(w.Row.ID), Why: why, What: "snapshot"} }
	names := []string{snapshotLease(w.Key)}
	if w.Row.Kind == store.SnapshotRun {
		names = append(names, leaseName(w.Key))
	}
	release, err := holdSoon(ctx, st, names, who)
	if errors.Is(err, errBusy) {
		return kept("another process makes one, or its sandbox, at present")
	}
	if err != nil {
		return err
	}
	defer release()
	rows, err := st.Snapshots(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	known := slices.ContainsFunc(rows, sameAs(w.Row))
	busy, err := begun(ctx, st, store.SandboxRow{Thread: w.Row.Thread})
	switch {
	case err != nil:
		return err
	case w.Orphan && known:
		return kept("the store knows it by now")
	case !w.Orphan && !known:
		return ErrCollected
	case w.Row.Kind == store.SnapshotRun && busy != "":
		return kept("run " + busy + " of its thread has begun")
	}
	// Also of what isn't listed: it may be where the provider doesn't look now.
	err = DropSnapshot(ctx, st, p, w.Row)
	if errors.Is(err, sandbox.Conflict) {
		return kept(err.Error())
	}
	return err
}

var errBusy = errors.New("another process has it")

// holdSoon takes leases unless somebody has one of them; then it is errBusy.
func holdSoon(ctx context.Context, st *store.Store, names []string, who Claimant) (release func(), err error) {
	var all []*lease
	release = func() {
		for _, l := range all {
			l.release(ctx)
		}
	}
	for _, name := range names {
		soon, over := context.WithTimeout(ctx, leaseSoon)
		l, err := holdAs(soon, st, name, who, nil)
		busy := err != nil && soon.Err() != nil && ctx.Err() == nil
		over()
		if err != nil {
			release()
			if busy {
				err = errBusy
			}
			return nil, err
		}
		all = append(all, l)
	}
	return release, nil
}
