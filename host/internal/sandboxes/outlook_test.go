package sandboxes

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestAnOutlookTellsWhatEnsureWouldFind(t *testing.T) {
	w := want()
	row := func(key, id string, state store.SandboxState) store.SandboxRow {
		return store.SandboxRow{Key: key, ID: id, Thread: w.Thread, Block: w.Block, State: state}
	}
	for _, c := range []struct {
		name string
		rows []store.SandboxRow
		has  []sandbox.Summary
		err  error  // of the provider
		busy bool   // another process has the lease
		want Fate   //
		id   string // of the row that is told
	}{
		{name: "nothing", want: FateNone},
		{name: "another thread's", rows: []store.SandboxRow{{Key: "k", ID: "x", Thread: "other", Block: w.Block, State: store.Ready}}, want: FateNone},
		{name: "another block's", rows: []store.SandboxRow{{Key: "k", ID: "x", Thread: w.Thread, Block: "other", State: store.Ready}}, want: FateNone},
		{
			name: "those made of something else, of which the last used counts",
			rows: []store.SandboxRow{
				{Key: "k1", ID: "used", Thread: w.Thread, Block: w.Block, State: store.Ready, Used: time.Now()},
				{Key: "k2", ID: "older", Thread: w.Thread, Block: w.Block, State: store.Ready, Used: time.Now().Add(-time.Hour)},
			},
			want: FateReplaced, id: "used",
		},
		{name: "it is there", rows: []store.SandboxRow{row(w.Key, "x", store.Ready)}, has: []sandbox.Summary{{ID: "x"}}, want: FateThere, id: "x"},
		{name: "its provider has only others", rows: []store.SandboxRow{row(w.Key, "x", store.Ready)}, has: []sandbox.Summary{{ID: "y"}}, want: FateGone, id: "x"},
		{name: "its provider says nothing", rows: []store.SandboxRow{row(w.Key, "x", store.Ready)}, err: errors.New("down"), want: FateUnknown, id: "x"},
		{name: "it is half made", rows: []store.SandboxRow{row(w.Key, "", store.Creating)}, want: FateHalfMade},
		{name: "it is half removed", rows: []store.SandboxRow{row(w.Key, "x", store.Destroying)}, want: FateHalfMade, id: "x"},
		{name: "somebody makes it now", rows: []store.SandboxRow{row(w.Key, "", store.Creating)}, busy: true, want: FateBusy},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			for _, r := range c.rows {
				if err := st.PutSandbox(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			if c.busy {
				l, err := hold(t.Context(), st, w.Key, Claimant{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer l.release(t.Context())
			}
			got, err := Look(t.Context(), st, w.Key, w.Thread, w.Block, Claimant{}, func(context.Context) ([]sandbox.Summary, error) { return c.has, c.err })
			if err != nil || got.Fate != c.want || got.Row.ID != c.id || !errors.Is(got.Err, c.err) {
				t.Errorf("got %s, row %q, %v; %v", got.Fate, got.Row.ID, got.Err, err)
			}
			all, err := st.Sandboxes(t.Context())
			if err != nil || len(all) != len(c.rows) {
				t.Errorf("looking changed the rows: %v, %v", all, err)
			}
		})
	}
}
