package sandboxes

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const aged = `{"provider":{"type":"memory","config":{}},"lifecycle":{"snapshot_max_age":3600000000000}}`

func TestWhichSnapshotsAreWaste(t *testing.T) {
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	setup := store.SnapshotRow{ID: "x", Kind: store.SnapshotSetup, SetupKey: "used"}
	run := store.SnapshotRow{ID: "x", Kind: store.SnapshotRun, SetupKey: "used", Key: "k", Thread: "lately", Created: ago(time.Minute)}
	with := func(row store.SnapshotRow, change func(*store.SnapshotRow)) store.SnapshotRow {
		change(&row)
		return row
	}
	for _, c := range []struct {
		name   string
		row    store.SnapshotRow
		more   []store.SnapshotRow // other rows, whose snapshots are there
		there  string              // ids that the provider has; "-": it gives no answer
		why    string              // part of it; empty: it is none
		gone   bool
		orphan bool
	}{
		{name: "one of a setup that is in use", row: setup, there: "x"},
		{name: "one of a setup that nobody uses", row: with(setup, func(r *store.SnapshotRow) { r.SetupKey = "unused" }), there: "x", why: "no run had for 720h0m0s"},
		{name: "one that is too old", row: with(setup, func(r *store.SnapshotRow) { r.Created = ago(2 * time.Hour) }), there: "x", why: "old, snapshot_max_age is 1h0m0s"},
		{name: "one that has a newer one", row: with(setup, func(r *store.SnapshotRow) { r.Created = ago(time.Minute) }), more: []store.SnapshotRow{with(setup, func(r *store.SnapshotRow) { r.ID = "y" })}, there: "x y", why: "there is a newer one"},
		{name: "one made by hand, however old", row: store.SnapshotRow{ID: "x", Kind: store.SnapshotHand, SetupKey: "unused", Created: ago(9999 * time.Hour)}, there: "x"},
		{name: "one of a thread that had a run lately, however old", row: with(run, func(r *store.SnapshotRow) { r.Created = ago(99 * time.Hour) }), there: "x"},
		{name: "one of a thread that had none for long", row: with(run, func(r *store.SnapshotRow) { r.Thread = "t" }), there: "x", why: "its thread had no run"},
		{name: "one of a thread that has a newer one", row: run, more: []store.SnapshotRow{with(run, func(r *store.SnapshotRow) { r.ID, r.Created = "y", time.Now() })}, there: "x y", why: "there is a newer one"},
		{name: "one of a thread whose setup another thread has too", row: run, more: []store.SnapshotRow{with(run, func(r *store.SnapshotRow) { r.ID, r.Key, r.Created = "y", "other", time.Now() })}, there: "x y"},
		{name: "one that its provider doesn't have", row: store.SnapshotRow{ID: "x", Kind: store.SnapshotHand}, there: "", why: "doesn't have it any more", gone: true},
		{name: "one whose provider gives no answer", row: with(setup, func(r *store.SnapshotRow) { r.SetupKey = "unused" }), there: "-"},
		{name: "one that the store doesn't know", row: setup, there: "x lost", why: "doesn't know it any more", orphan: true},
		{name: "those of others", row: setup, there: "x foreign"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			for _, row := range append(c.more, c.row) {
				row.Type, row.Config, row.Spec = "memory", []byte("{}"), []byte(aged)
				if err := st.PutSnapshot(t.Context(), row); err != nil {
					t.Fatal(err)
				}
			}
			var l Listed
			if c.there != "-" {
				var all []sandbox.Snapshot
				for id := range strings.FieldsSeq(c.there) {
					owner := st.Owner()
					if id == "foreign" {
						owner = sandbox.OwnerUnknown
					}
					all = append(all, sandbox.Snapshot{ID: id, Labels: sandbox.Labels{Owner: owner}})
				}
				l.Add(&config.Spec{Provider: config.Plugin{Type: "memory", Config: []byte("{}")}}, all)
			}
			needs := Needs{Setups: map[string]bool{"used": true}, Threads: map[string]bool{"lately": true}, Recent: 720 * time.Hour}
			got, err := WastedSnapshots(t.Context(), st, snapshots(t, st), &l, needs)
			if err != nil || len(got) != min(1, len(c.why)) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if len(got) == 1 && (!strings.Contains(got[0].Why, c.why) || got[0].Gone != c.gone || got[0].Orphan != c.orphan || !c.orphan && got[0].Row.ID != "x") {
				t.Errorf("got %+v", got[0])
			}
			// One that was made after the rows were looked at isn't gone.
			if got, err := WastedSnapshots(t.Context(), st, nil, &l, needs); c.gone && (err != nil || len(got) > 0) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestASnapshotIsLookedAtAgainBeforeItIsCollected(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, setUp("t1"))
	row := snapshots(t, st)[0]
	b.snapshots["lost"] = sandbox.Snapshot{ID: "lost"}
	lost := SnapshotWaste{Row: store.SnapshotRow{ID: "lost", Type: row.Type}, Key: row.Key, Orphan: true}
	known := lost
	known.Row = row
	kept := func(err error) bool { _, ok := errors.AsType[*KeptError](err); return ok }
	l, err := holdAs(t.Context(), st, snapshotLease(row.Key), Claimant{}, nil) // who made it has no row of it yet
	if err != nil {
		t.Fatal(err)
	}
	if err := CollectSnapshot(t.Context(), st, b, lost, Claimant{}); !kept(err) || len(b.snapshots) != 2 {
		t.Errorf("one that is being made: %v", err)
	}
	l.release(t.Context())
	if err := CollectSnapshot(t.Context(), st, b, known, Claimant{}); !kept(err) || len(b.snapshots) != 2 {
		t.Errorf("one that has got a row: %v", err)
	}
	if err := CollectSnapshot(t.Context(), st, b, lost, Claimant{}); err != nil || len(b.snapshots) != 1 {
		t.Errorf("an orphan: %v", err)
	}
	waste := SnapshotWaste{Row: row, Key: row.Key}
	run := waste
	run.Row.Kind, run.Row.Thread = store.SnapshotRun, "t"
	thread := live(t, st, false)
	run.Row.Thread = thread
	if err := CollectSnapshot(t.Context(), st, b, run, Claimant{}); !kept(err) || len(b.snapshots) != 1 {
		t.Errorf("one that a run which has begun may need: %v", err)
	}
	b.onDelete = func() error { return sandbox.Errorf(sandbox.Conflict, "a container is made of it") }
	if err := CollectSnapshot(t.Context(), st, b, waste, Claimant{}); !kept(err) || len(snapshots(t, st)) != 1 {
		t.Errorf("one that can't go yet: %v", err)
	}
	b.onDelete = func() error { return sandbox.Errorf(sandbox.Unavailable, "it is on another engine") }
	gone := waste
	gone.Gone = true // as far as a list tells
	if err := CollectSnapshot(t.Context(), st, b, gone, Claimant{}); !errors.Is(err, sandbox.Unavailable) || len(snapshots(t, st)) != 1 {
		t.Errorf("one that is elsewhere: %v", err)
	}
	b.onDelete = nil
	if err := CollectSnapshot(t.Context(), st, b, waste, Claimant{}); err != nil || len(b.snapshots)+len(snapshots(t, st)) != 0 {
		t.Errorf("one of no use: %v", err)
	}
	if err := CollectSnapshot(t.Context(), st, b, waste, Claimant{}); !errors.Is(err, ErrCollected) {
		t.Errorf("once more: %v", err)
	}
}
