package sandboxes

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestWhatComesAndGoesWhileProvidersAreAskedIsNoWaste has somebody else make or
// remove a sandbox between the look into the store and that at the provider, or
// between that and the end.
func TestWhatComesAndGoesWhileProvidersAreAskedIsNoWaste(t *testing.T) {
	second := want()
	second.Key = strings.Repeat("b", 64)
	makes := func(t *testing.T, st *store.Store, b *backend) {
		t.Helper()
		if _, err := Ensure(t.Context(), st, b, second, silent); err != nil {
			t.Fatal(err)
		}
	}
	removes := func(t *testing.T, st *store.Store, b *backend) {
		t.Helper()
		if err := Destroy(t.Context(), st, b, want().Key, "", Claimant{}); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(*testing.T, *store.Store, *backend) {}
	running, unknown := string(sandbox.StateRunning), string(sandbox.StateUnknown)
	for _, c := range []struct {
		name          string
		before, after func(*testing.T, *store.Store, *backend)
		states        []string // of an inventory, newest first
	}{
		{"one is made before the provider looks", makes, nothing, []string{running, running}},
		{"one is made after the provider has looked", nothing, makes, []string{unknown, running}},
		{"one is removed before the provider looks", removes, nothing, nil},
		{"one is removed after the provider has looked", nothing, removes, nil},
	} {
		lister := func(t *testing.T, st *store.Store, b *backend) Lister {
			return func(ctx context.Context, _ *config.Spec) ([]sandbox.Summary, error) {
				c.before(t, st, b)
				defer c.after(t, st, b)
				return b.List(ctx)
			}
		}
		t.Run(c.name, func(t *testing.T) {
			st, b := openStore(t), newBackend()
			unusedFor(t, st, b, time.Second)
			all, lost, err := Wasted(t.Context(), st, lister(t, st, b), WasteOptions{Patience: time.Minute})
			if err != nil || len(lost) > 0 || len(all) > 0 {
				t.Errorf("%+v, %v, %v", all, lost, err)
			}
		})
		t.Run(c.name+", in an inventory", func(t *testing.T) {
			st, b := openStore(t), newBackend()
			unusedFor(t, st, b, time.Second)
			items, lost, err := Inventory(t.Context(), st, lister(t, st, b))
			if err != nil || len(lost) > 0 {
				t.Errorf("%v, %v", lost, err)
			}
			var states []string
			for _, item := range items {
				states = append(states, item.State)
			}
			if diff := cmp.Diff(c.states, states); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
		})
	}
}
