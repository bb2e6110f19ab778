package sandboxes

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// setUp is the sandbox of a thread, whose setup is worth a snapshot.
func setUp(thread string) Want {
	w := want()
	w.Key, w.Thread = "0123456789abcdef-"+thread, thread
	w.Snapshot, w.MaxAge = config.SnapshotAfterSetup, time.Hour
	w.Fill.Workspace.Setup = []config.Setup{{}} // the boxes of the backend run nothing
	return w
}

// ensured are the phases of an Ensure that must succeed, as "name state".
func ensured(t *testing.T, st *store.Store, b *backend, w Want) (phases []string) {
	t.Helper()
	if _, err := Ensure(t.Context(), st, b, w, func(p Phase) { phases = append(phases, p.Name+" "+p.State) }); err != nil {
		t.Fatal(err)
	}
	return phases
}

func snapshots(t *testing.T, st *store.Store) []store.SnapshotRow {
	t.Helper()
	all, err := st.Snapshots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestANewThreadStartsFromTheSnapshotAfterTheSameSetup(t *testing.T) {
	st, b := openStore(t), keeping()
	if got := ensured(t, st, b, setUp("t1")); !slices.Equal(got, []string{"create start", "create done", "snapshot start", "snapshot done"}) {
		t.Errorf("the first: %q", got)
	}
	row := snapshots(t, st)[0]
	w := setUp("t1")
	want := store.SnapshotRow{
		ID: "snap-1", Type: w.Type, Kind: store.SnapshotSetup, SetupKey: w.SetupKey, Key: w.Key, Block: w.Block, Thread: w.Thread,
		Label: "after setup", Sandbox: "box-1", Size: -1, Created: row.Created, Config: w.Config, Spec: w.Spec,
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Error(diff)
	}
	if l := b.snapshots["snap-1"].Labels; l.Owner != st.Owner() || l.Key != w.Key || l.Project != w.Project || l.Thread != w.Thread {
		t.Errorf("labels %+v", l)
	}
	if got := ensured(t, st, b, setUp("t2")); !slices.Equal(got, []string{"restore start", "restore done"}) {
		t.Errorf("the second: %q", got)
	}
	if sb, err := st.Sandbox(t.Context(), setUp("t2").Key); err != nil || sb.State != store.Ready || sb.ID != "box-2" {
		t.Errorf("row of the second: %+v, %v", sb, err)
	}
	if b.kept != 1 || !slices.Equal(b.restored, []string{"snap-1"}) {
		t.Errorf("%d kept, restored %q", b.kept, b.restored)
	}
}

func TestWhichSnapshotIsUsed(t *testing.T) {
	dir := t.TempDir()
	local := func(w *Want) { w.Fill.Workspace.Source = config.Source{Kind: "local", Path: dir} }
	state, err := Fill{Workspace: config.Workspace{Source: config.Source{Kind: "local", Path: dir}}}.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	after := func(w *Want) { w.Snapshot = config.SnapshotAfterRun }
	key := setUp("t").Key
	for _, c := range []struct {
		name string
		rows []store.SnapshotRow
		with func(*Want)
		cant bool   // the provider has no snapshots
		want string // id of the one that is used
		why  string // part of it
	}{
		{name: "none is there", why: "no snapshot was kept after the same setup"},
		{name: "of another setup", rows: []store.SnapshotRow{{ID: "x", SetupKey: "other"}}, why: "no snapshot"},
		{name: "of another type of provider", rows: []store.SnapshotRow{{ID: "x", Type: "other"}}, why: "no snapshot"},
		{name: "made by hand", rows: []store.SnapshotRow{{ID: "x", Kind: store.SnapshotHand}}, why: "no snapshot"},
		{name: "one that fits", rows: []store.SnapshotRow{{ID: "x", Created: ago(10 * time.Minute)}}, want: "x", why: "it was kept 10m"},
		{name: "the newest of two", rows: []store.SnapshotRow{{ID: "old", Created: ago(2 * time.Minute)}, {ID: "new", Created: ago(time.Minute)}}, want: "new"},
		{name: "one that is too old", rows: []store.SnapshotRow{{ID: "x", Created: ago(2 * time.Hour)}}, why: "old, snapshot_max_age is 1h0m0s"},
		{name: "of a folder that is as it was", rows: []store.SnapshotRow{{ID: "x", Source: state}}, with: local, want: "x", why: "the source hasn't changed"},
		{name: "of a folder that has changed", rows: []store.SnapshotRow{{ID: "x", Source: "local 1"}}, with: local, why: "the source has changed since the snapshot x was kept"},
		{name: "an older one of the folder as it is again", rows: []store.SnapshotRow{{ID: "b", Source: "local 1"}, {ID: "a", Source: state, Created: ago(time.Minute)}}, with: local, want: "a"},
		{
			name: "of a source that doesn't answer", rows: []store.SnapshotRow{{ID: "x", Source: "local 1"}}, want: "x", why: "can't be told",
			with: func(w *Want) {
				w.Fill.Workspace.Source = config.Source{Kind: "local", Path: filepath.Join(dir, "none")}
			},
		},
		{name: "none are wanted", rows: []store.SnapshotRow{{ID: "x"}}, with: func(w *Want) { w.Snapshot = config.SnapshotNone }},
		{name: "of an earlier build's run", rows: []store.SnapshotRow{{ID: "x"}}, with: func(w *Want) { w.Snapshot = "" }},
		{name: "there is no setup that it would save", rows: []store.SnapshotRow{{ID: "x"}}, with: func(w *Want) { w.Fill.Workspace.Setup = nil }},
		{name: "the provider has none", rows: []store.SnapshotRow{{ID: "x"}}, cant: true},
		{name: "after a run of the thread, however old", rows: []store.SnapshotRow{{ID: "x", Kind: store.SnapshotRun, Key: key, Created: ago(9999 * time.Hour)}}, with: after, want: "x", why: "after the thread's last run"},
		{name: "after a run of another thread", rows: []store.SnapshotRow{{ID: "x", Kind: store.SnapshotRun, Key: "other"}}, with: after, why: "no snapshot was kept after a run"},
		{name: "after setup, where those after runs are kept", rows: []store.SnapshotRow{{ID: "x"}}, with: after, why: "no snapshot was kept after a run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, w := openStore(t), setUp("t")
			for _, row := range c.rows {
				if row.SetupKey == "" {
					row.SetupKey = w.SetupKey
				}
				if row.Type == "" {
					row.Type = w.Type
				}
				if row.Kind == "" {
					row.Kind = store.SnapshotSetup
				}
				if err := st.PutSnapshot(t.Context(), row); err != nil {
					t.Fatal(err)
				}
			}
			if c.with != nil {
				c.with(&w)
			}
			got, err := Fitting(t.Context(), st, sandbox.Capabilities{Snapshots: !c.cant}, w)
			if err != nil || got.Snapshot.ID != c.want || !strings.Contains(got.Why, c.why) || c.why == "" && c.want == "" && got.Why != "" {
				t.Errorf("got %q, %q, %v", got.Snapshot.ID, got.Why, err)
			}
		})
	}
}

func TestASnapshotThatIsGoneIsForgotten(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, setUp("t1"))
	delete(b.snapshots, "snap-1")
	var failed []string
	_, err := Ensure(t.Context(), st, b, setUp("t2"), func(p Phase) {
		if p.State == "failed" {
			failed = append(failed, p.Name+": "+p.Detail)
		}
	})
	if err != nil || b.made != 2 {
		t.Fatalf("made %d; %v", b.made, err)
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "restore: ") || !strings.Contains(failed[0], "snapshot snap-1 is forgotten") {
		t.Errorf("failed: %q", failed)
	}
	if all := snapshots(t, st); len(all) != 1 || all[0].ID != "snap-2" { // of the one that was made anew
		t.Errorf("rows: %+v", all)
	}
}

// TestASnapshotThatIsElsewhereIsKept has a provider that looks at another backend now
// than where the snapshot is. One of a setup saves time only; one of a thread's last
// run holds its work.
func TestASnapshotThatIsElsewhereIsKept(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, setUp("t1"))
	b.onRestore = func() error { return sandbox.Errorf(sandbox.Unavailable, "it is on another engine") }
	ensured(t, st, b, setUp("t2"))
	if all := snapshots(t, st); b.made != 2 || len(all) != 1 || all[0].ID != "snap-1" {
		t.Errorf("made %d; rows: %+v", b.made, all)
	}
	last := setUp("t3")
	last.Snapshot = config.SnapshotAfterRun
	row := last.snapshot(store.SnapshotRun, "")
	row.ID, row.Created = "of t3", time.Now()
	if err := st.PutSnapshot(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(t.Context(), st, b, last, silent); !errors.Is(err, sandbox.Unavailable) || b.made != 2 || len(snapshots(t, st)) != 2 {
		t.Errorf("made %d; %v", b.made, err)
	}
}

func TestARestoreThatFailsLeavesNothingAndKeepsTheSnapshot(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, setUp("t1"))
	b.onRestore = func() error { return sandbox.Errorf(sandbox.Internal, "a layer is broken") }
	_, err := Ensure(t.Context(), st, b, setUp("t2"), silent)
	if !errors.Is(err, sandbox.Internal) || !strings.Contains(err.Error(), "sandlot snapshot rm snap-1") {
		t.Errorf("error: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), setUp("t2").Key); !errors.Is(err, store.ErrNotFound) || b.count() != 1 || len(snapshots(t, st)) != 1 {
		t.Errorf("row: %v; %d sandboxes", err, b.count())
	}
}

func TestASnapshotThatFailsCostsNothingElse(t *testing.T) {
	st, b := openStore(t), keeping()
	b.onSnapshot = func(context.Context) error { return sandbox.Errorf(sandbox.Exhausted, "disk is full") }
	got := ensured(t, st, b, setUp("t1"))
	if !slices.Contains(got, "snapshot failed") || len(snapshots(t, st)) != 0 {
		t.Errorf("phases %q, rows %v", got, snapshots(t, st))
	}
	if sb, err := st.Sandbox(t.Context(), setUp("t1").Key); err != nil || sb.State != store.Ready {
		t.Errorf("row: %+v, %v", sb, err)
	}
}

func TestANewerSnapshotTakesThePlaceOfTheOneBefore(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, setUp("t1"))
	w := setUp("t2")
	w.MaxAge = -1 // all are too old
	ensured(t, st, b, w)
	if all := snapshots(t, st); len(all) != 1 || all[0].ID != "snap-2" || len(b.snapshots) != 1 {
		t.Errorf("rows %+v, backend %v", all, b.snapshots)
	}
	sb, run := box{"box-1", b}, setUp("t1")
	run.Snapshot = config.SnapshotAfterRun
	other := setUp("t2")
	other.Snapshot = config.SnapshotAfterRun
	for _, w := range []Want{run, other, run} { // each thread has one
		if err := KeepRun(t.Context(), st, b, sb, w, silent); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, row := range snapshots(t, st) {
		ids = append(ids, row.ID)
	}
	if !slices.Equal(ids, []string{"snap-5", "snap-4", "snap-2"}) || len(b.snapshots) != 3 {
		t.Errorf("rows %q, backend %v", ids, b.snapshots)
	}
	b.boxes = map[string]sandbox.Labels{}
	if got := ensured(t, st, b, run); !slices.Contains(got, "restore done") || b.restored[0] != "snap-5" {
		t.Errorf("phases %q, restored %q", got, b.restored)
	}
}

func TestASnapshotThatCannotBeNotedIsRemoved(t *testing.T) {
	st, b := openStore(t), keeping()
	w := setUp("t")
	b.onSnapshot = func(ctx context.Context) error { // another process has taken the lease: ours was asleep
		holder, err := st.LeaseHolder(ctx, snapshotLease(w.Key))
		return errors.Join(err, st.ReleaseLease(ctx, snapshotLease(w.Key), holder))
	}
	_, err := Keep(t.Context(), st, b, box{"box-1", b}, w.snapshot(store.SnapshotHand, ""), w.labels(st), Claimant{}, silent)
	if !errors.Is(err, store.ErrFenced) || len(b.snapshots) != 0 || len(snapshots(t, st)) != 0 {
		t.Errorf("error: %v; %v", err, b.snapshots)
	}
}

func TestAForkIsASandboxOfItsOwn(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, want())
	w := setUp("copy")
	sb, err := Fork(t.Context(), st, b, box{"box-1", b}, w, silent)
	if err != nil || sb.ID() != "box-2" || b.kept != 0 {
		t.Fatalf("got %v, %v", sb, err)
	}
	if got := ensured(t, st, b, w); !slices.Equal(got, []string{"resume start", "resume done"}) {
		t.Errorf("a run of its thread: %q", got)
	}
	var taken *TakenError
	if _, err := Fork(t.Context(), st, b, box{"box-1", b}, w, silent); !errors.As(err, &taken) || taken.Row.ID != "box-2" {
		t.Errorf("a second one: %v", err)
	}
	b.can.Forks = false
	if _, err := Fork(t.Context(), st, b, box{"box-1", b}, setUp("another"), silent); !errors.Is(err, sandbox.Unsupported) || b.count() != 2 {
		t.Errorf("without the capability: %v", err)
	}
}

func TestAForkThatFailsLeavesNothing(t *testing.T) {
	st, b := openStore(t), keeping()
	b.onCreate = func(context.Context) error { return sandbox.Errorf(sandbox.Exhausted, "disk is full") }
	if _, err := Fork(t.Context(), st, b, box{"box-1", b}, setUp("t"), silent); !errors.Is(err, sandbox.Exhausted) {
		t.Errorf("error: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), setUp("t").Key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("row: %v", err)
	}
}

func TestWhatWouldEndARunWaitsForItsEnd(t *testing.T) {
	st, b := openStore(t), keeping()
	ensured(t, st, b, want())
	row, err := st.Sandbox(t.Context(), want().Key)
	if err != nil {
		t.Fatal(err)
	}
	done, err := Quiet(t.Context(), st, row, sandbox.DisruptionStop, Claimant{})
	if err != nil {
		t.Fatal(err)
	}
	if busy, err := held(t.Context(), st, row.Key, Claimant{}); err != nil || !busy {
		t.Errorf("a run could begin meanwhile: %v", err)
	}
	done()
	live(t, st, true)
	const run, epoch = "live", 1
	if err := st.UpdateRun(t.Context(), run, epoch, store.RunUpdate{Sandbox: &row.Key}); err != nil {
		t.Fatal(err)
	}
	var busy *InUseError
	if _, err := Quiet(t.Context(), st, row, sandbox.DisruptionStop, Claimant{}); !errors.As(err, &busy) || busy.Run != run {
		t.Errorf("with a live run: %v", err)
	}
	if done, err := Quiet(t.Context(), st, row, sandbox.DisruptionPause, Claimant{}); err != nil {
		t.Errorf("what only pauses: %v", err)
	} else {
		done()
	}
}
