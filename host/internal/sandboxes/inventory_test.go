package sandboxes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestAskingWaitsForNobody has a provider that doesn't even listen to its
// context.
func TestAskingWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		all := map[string]*answer{}
		for _, name := range []string{"sound", "deaf", "slow", "broken"} {
			all[name] = &answer{spec: &config.Spec{Provider: config.Plugin{Name: name}}}
		}
		began := time.Now()
		ask(t.Context(), all, func(ctx context.Context, spec *config.Spec) ([]sandbox.Summary, error) {
			switch spec.Provider.Name {
			case "deaf":
				<-release
			case "slow":
				<-ctx.Done()
				return nil, ctx.Err()
			case "broken":
				return nil, errors.New("no credit")
			}
			return []sandbox.Summary{{ID: "a"}}, nil
		}, Patience)
		if took := time.Since(began); took != Patience+closing {
			t.Errorf("it took %s", took)
		}
		got := map[string]string{}
		for name, a := range all {
			if a.err != nil {
				got[name] = a.err.Error()
			}
		}
		want := map[string]string{
			"deaf": "no answer within 2s: context deadline exceeded", "slow": "no answer within 2s: context deadline exceeded",
			"broken": "no credit",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
		if len(all["sound"].list) != 1 {
			t.Errorf("the sound one's answer is %v", all["sound"].list)
		}
		close(release)
	})
}

func TestAnInventoryJoinsRowsAndBackends(t *testing.T) {
	st := openStore(t)
	put := func(key, id string, state store.SandboxState) {
		t.Helper()
		row := store.SandboxRow{Key: key, ID: id, Type: "memory", Config: []byte("{}"), Spec: []byte(`{"provider":{"type":"memory"}}`), State: state}
		if err := st.PutSandbox(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	put("k1", "there", store.Ready)
	put("k2", "lost", store.Ready)
	put("k3", "", store.Creating) // the backend has it, under an id that was never noted
	put("k4", "leaving", store.Destroying)
	calls := 0
	items, lost, err := Inventory(t.Context(), st, func(context.Context, *config.Spec) ([]sandbox.Summary, error) {
		calls++
		return []sandbox.Summary{
			{ID: "there", State: sandbox.StateStopped},
			{ID: "half", Labels: sandbox.Labels{Key: "k3"}},
			{ID: "leaving", State: sandbox.StateRunning},
			{ID: "stray", Labels: sandbox.Labels{Owner: st.Owner()}},
			{ID: "whose", Labels: sandbox.Labels{Owner: sandbox.OwnerUnknown}},
		}, nil
	})
	if err != nil || len(lost) > 0 || calls != 1 {
		t.Fatalf("%v, %v; asked %d times", err, lost, calls)
	}
	got := map[string]string{}
	for _, i := range items {
		got[i.ID+"/"+i.Key] = i.State
	}
	want := map[string]string{
		"there/k1": "stopped", "lost/k2": "gone", "/k3": "creating", "leaving/k4": "destroying", "stray/": "orphan", "whose/": "unowned",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inventory (-want +got):\n%s", diff)
	}
}
