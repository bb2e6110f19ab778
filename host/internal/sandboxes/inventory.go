package sandboxes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// What an inventory says of a sandbox beside the states of its backend
// (sandbox.StateRunning and so on).
const (
	StateCreating    = "creating"    // it isn't known to be complete
	StateDestroying  = "destroying"  // its removal has begun
	StateGone        = "gone"        // the store knows it, its backend doesn't
	StateUnreachable = "unreachable" // its provider gave no answer
	StateOrphan      = "orphan"      // made by this store, which doesn't know it any more
	StateUnowned     = "unowned"     // it doesn't say who made it
)

// Item is one sandbox of an inventory.
type Item struct {
	ID      string // the provider's; empty if its create never came to an end
	Key     string // identity key; empty where unknown
	Block   string // name of the sandbox block; empty for an orphan
	Type    string // of the provider
	Project string
	Thread  string // name of the thread; empty if it belongs to none
	State   string
	Run     string // the live run that uses it; empty if none does
	Created time.Time
	Used    time.Time
}

// Unreachable is a provider that gave no answer.
type Unreachable struct {
	Type, Block string // of the provider block
	Err         error
}

// Lister asks the provider of a spec for all that it has.
type Lister func(ctx context.Context, spec *config.Spec) ([]sandbox.Summary, error)

// Patience is how long an inventory waits for a provider, its start included.
const Patience = 2 * time.Second

// closing is how long a Lister may take to clean up once its time is over.
const closing = 500 * time.Millisecond

// Inventory joins what the store knows with what each provider lists. Providers
// are asked side by side; one that doesn't answer in time, or fails, is told of,
// and its sandboxes are unreachable. Nothing is changed.
func Inventory(ctx context.Context, st *store.Store, list Lister) ([]Item, []Unreachable, error) {
	rows, err := st.Sandboxes(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list sandboxes: %w", err)
	}
	users, err := users(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	asked := ask(ctx, groups(rows), list, Patience)
	seen, err := lookAgain(ctx, st, rows)
	if err != nil {
		return nil, nil, err
	}
	var items []Item
	for _, row := range seen.now {
		a := asked[groupOf(row)]
		item := Item{
			ID: row.ID, Key: row.Key, Block: row.Block, Type: row.Type, Project: row.Project, Run: users[row.Key],
			Created: row.Created, Used: row.Used, State: stateOf(row, a, seen.were(row, rows)),
		}
		if row.Thread != "" {
			t, err := st.ThreadByID(ctx, row.Thread)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, nil, fmt.Errorf("list sandboxes: %w", err)
			}
			item.Thread = t.Name
		}
		items = append(items, item)
	}
	return append(items, strays(seen.ever, asked)...), unreachable(asked), nil
}

// unreachable are the providers of known sandboxes that gave no answer.
func unreachable(asked map[string]*answer) []Unreachable {
	var lost []Unreachable
	for _, a := range asked {
		if a.err != nil && !a.extra {
			lost = append(lost, Unreachable{a.spec.Provider.Type, a.spec.Provider.Name, a.err})
		}
	}
	slices.SortFunc(lost, func(a, b Unreachable) int { return compare(a.Type, b.Type, a.Block, b.Block) })
	return lost
}

// users tells by the key of a sandbox which live run uses it.
func users(ctx context.Context, st *store.Store) (map[string]string, error) {
	all := map[string]string{}
	for _, status := range []store.Status{store.Running, store.Pending} {
		err := st.EachRun(ctx, store.RunFilter{Status: status}, func(r store.Run) error {
			all[r.Sandbox] = r.ID
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for live runs: %w", err)
		}
	}
	delete(all, "")
	return all, nil
}

// stateOf is the state of a sandbox that was there when its provider was asked, or
// has come since.
func stateOf(row store.SandboxRow, a *answer, was bool) string {
	if a == nil { // as has its provider
		a = &answer{}
	}
	if a.err != nil {
		return StateUnreachable
	}
	i := slices.IndexFunc(a.list, func(s sandbox.Summary) bool { return is(row, s) })
	switch {
	case row.State == store.Creating:
		return StateCreating
	case i < 0 && !was:
		return string(sandbox.StateUnknown)
	case i < 0:
		return StateGone
	case row.State == store.Destroying:
		return StateDestroying
	case a.list[i].State == "":
		return string(sandbox.StateUnknown)
	}
	return string(a.list[i].State)
}

// is reports whether a backend's sandbox is that of a row. One whose id was
// never noted is known by the key that it was labelled with.
func is(row store.SandboxRow, s sandbox.Summary) bool {
	return s.ID == row.ID || row.ID == "" && s.Labels.Key == row.Key
}

// stray is a sandbox that a backend has and the store doesn't know.
type stray struct {
	sandbox.Summary

	spec *config.Spec // of the provider that lists it
}

// strayed are the strays, each once: several blocks may list the same backend.
func strayed(rows []store.SandboxRow, asked map[string]*answer) []stray {
	var all []stray
	seen := map[[2]string]bool{}
	for _, row := range rows {
		seen[[2]string{row.Type, row.ID}] = true
	}
	for _, a := range asked {
		typ := a.spec.Provider.Type
		for _, s := range a.list {
			known := slices.ContainsFunc(rows, func(r store.SandboxRow) bool { return r.Type == typ && is(r, s) })
			if known || seen[[2]string{typ, s.ID}] {
				continue
			}
			seen[[2]string{typ, s.ID}] = true
			all = append(all, stray{s, a.spec})
		}
	}
	slices.SortFunc(all, func(a, b stray) int { return compare(a.spec.Provider.Type, b.spec.Provider.Type, a.ID, b.ID) })
	return all
}

// strays are the same as items of an inventory.
func strays(rows []store.SandboxRow, asked map[string]*answer) []Item {
	var all []Item
	for _, s := range strayed(rows, asked) {
		item := Item{
			ID: s.ID, Key: s.Labels.Key, Type: s.spec.Provider.Type, Project: s.Labels.Project, State: StateOrphan, Created: s.Created,
		}
		if s.Labels.Owner == sandbox.OwnerUnknown {
			item.State = StateUnowned
		}
		all = append(all, item)
	}
	return all
}

// answer is what one provider says.
type answer struct {
	spec  *config.Spec
	extra bool // no known sandbox is of it
	list  []sandbox.Summary
	err   error
}

// groupOf names the provider configuration of a row.
func groupOf(row store.SandboxRow) string {
	var spec config.Spec
	_ = json.Unmarshal(row.Spec, &spec) // what can't be read is found when it is asked
	spec.Provider.Type, spec.Provider.Config = row.Type, row.Config
	return groupOfSpec(&spec)
}

// groupOfSpec names a provider configuration. Secrets count where it has some:
// the same words may stand for others elsewhere.
func groupOfSpec(spec *config.Spec) string {
	key := spec.Provider.Type + "\x00" + string(spec.Provider.Config)
	if len(spec.Provider.Sensitive) > 0 {
		secrets, err := json.Marshal(spec.Secrets)
		if err == nil {
			key += "\x00" + string(secrets)
		}
	}
	return key
}

// groups are the provider configurations of rows, each with the newest spec.
func groups(rows []store.SandboxRow) map[string]*answer {
	all := map[string]*answer{}
	for _, row := range rows {
		key := groupOf(row)
		if all[key] != nil {
			continue
		}
		a := &answer{spec: &config.Spec{}}
		if err := json.Unmarshal(row.Spec, a.spec); err != nil {
			a.err = fmt.Errorf("read spec of sandbox %s: %w", row.ID, err)
		}
		if a.spec.Provider.Type == "" {
			a.spec.Provider.Type = row.Type
		}
		all[key] = a
	}
	return all
}
