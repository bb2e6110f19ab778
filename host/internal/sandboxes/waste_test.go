package sandboxes

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// lists answers for every spec with what a backend has.
func lists(b *backend) Lister {
	return func(ctx context.Context, _ *config.Spec) ([]sandbox.Summary, error) { return b.List(ctx) }
}

// wasted is the only waste there is; none: its kind is empty.
func wasted(t *testing.T, st *store.Store, b *backend, o WasteOptions) Waste {
	t.Helper()
	o.Patience = time.Minute
	all, lost, err := Wasted(t.Context(), st, lists(b), o)
	if err != nil || len(lost) > 0 || len(all) > 1 {
		t.Fatalf("%+v, %v, %v", all, lost, err)
	}
	if len(all) == 0 {
		return Waste{}
	}
	return all[0]
}

// unusedFor is a sandbox that was made, and not used for as long.
func unusedFor(t *testing.T, st *store.Store, b *backend, idle time.Duration) store.SandboxRow {
	t.Helper()
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	row, err := st.Sandbox(t.Context(), want().Key)
	if err != nil {
		t.Fatal(err)
	}
	row.Used = time.Now().Add(-idle).Truncate(time.Millisecond)
	if err := st.PutSandbox(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	return row
}

// live is a run that drives, or is about to drive, in the thread of want.
func live(t *testing.T, st *store.Store, claimed bool) string {
	t.Helper()
	run, err := st.CreateRun(t.Context(), store.NewRun{ID: "live", ThreadName: "t", Project: "/p", Harness: "h", Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if claimed {
		epoch, err := st.Claim(t.Context(), run.ID, store.Driver{BootID: "b", PID: 1, StartTime: "1"}, CreateTimeout, nil)
		if err != nil {
			t.Fatal(err)
		}
		key := want().Key
		if err := st.UpdateRun(t.Context(), run.ID, epoch, store.RunUpdate{Sandbox: &key}); err != nil {
			t.Fatal(err)
		}
	}
	return run.Thread
}

func TestASandboxIsIdleAfterWhatItsLifecycleSays(t *testing.T) {
	hour := time.Hour
	for _, c := range []struct {
		name string
		spec string
		idle *time.Duration
		used time.Duration // ago
		want WasteKind
	}{
		{name: "the default isn't over", spec: "{}", used: 29 * time.Minute},
		{name: "the default is over", spec: "{}", used: 31 * time.Minute, want: WasteIdle},
		{name: "keep_alive isn't over", spec: `{"lifecycle":{"keep_alive":7200000000000}}`, used: hour},
		{name: "keep_alive is over", spec: `{"lifecycle":{"keep_alive":60000000000}}`, used: 2 * time.Minute, want: WasteIdle},
		{name: "another time for all isn't over", spec: "{}", idle: &hour, used: 59 * time.Minute},
		{name: "another time for all is over", spec: `{"lifecycle":{"keep_alive":7200000000000}}`, idle: &hour, used: hour, want: WasteIdle},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, b := openStore(t), newBackend()
			row := unusedFor(t, st, b, c.used)
			row.Spec = []byte(c.spec)
			if err := st.PutSandbox(t.Context(), row); err != nil {
				t.Fatal(err)
			}
			if got := wasted(t, st, b, WasteOptions{Idle: c.idle}); got.Kind != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWhatIsUsedIsNoWaste(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(t *testing.T, st *store.Store, b *backend, row store.SandboxRow)
	}{
		{"a live run is in it", func(t *testing.T, st *store.Store, _ *backend, _ store.SandboxRow) {
			t.Helper()
			live(t, st, true)
		}},
		{"a run of its thread has just begun", func(t *testing.T, st *store.Store, _ *backend, row store.SandboxRow) {
			t.Helper()
			row.Thread = live(t, st, false)
			if err := st.PutSandbox(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}},
		{"another process makes or removes it", func(t *testing.T, st *store.Store, _ *backend, row store.SandboxRow) {
			t.Helper()
			l, err := hold(t.Context(), st, row.Key, Claimant{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.release(context.WithoutCancel(t.Context())) })
		}},
		{"somebody works in it", func(t *testing.T, st *store.Store, _ *backend, row store.SandboxRow) {
			t.Helper()
			u, err := Begin(t.Context(), st, row, "sandlot exec", Claimant{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { u.End(context.WithoutCancel(t.Context())) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, b := openStore(t), newBackend()
			row := unusedFor(t, st, b, 24*time.Hour)
			before, none := wasted(t, st, b, WasteOptions{}), time.Duration(0)
			c.use(t, st, b, row)
			if got := wasted(t, st, b, WasteOptions{Idle: &none}); got.Kind != "" {
				t.Errorf("it is found: %+v", got)
			}
			// As it was found before that use began.
			err := Collect(t.Context(), st, b, before, Claimant{})
			_, kept := errors.AsType[*KeptError](err)
			_, busy := errors.AsType[*InUseError](err)
			if !kept && !busy || b.count() != 1 {
				t.Errorf("collected with %v; %d sandboxes", err, b.count())
			}
			if row, err := st.Sandbox(t.Context(), row.Key); err != nil || row.State != store.Ready {
				t.Errorf("row: %+v, %v", row, err)
			}
		})
	}
}

func TestWhatWasUsedBetweenLookingAndCollectingStays(t *testing.T) {
	st, b := openStore(t), newBackend()
	unusedFor(t, st, b, 24*time.Hour)
	w := wasted(t, st, b, WasteOptions{})
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil { // a whole run, say
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*KeptError](Collect(t.Context(), st, b, w, Claimant{})); !ok || b.count() != 1 {
		t.Errorf("it was collected; %d sandboxes", b.count())
	}
}

func TestIdleSandboxesAreCollectedOnceByTwo(t *testing.T) {
	st, b := openStore(t), newBackend()
	unusedFor(t, st, b, 24*time.Hour)
	w := wasted(t, st, b, WasteOptions{})
	for _, want := range []error{nil, ErrCollected} {
		if err := Collect(t.Context(), st, b, w, Claimant{}); !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	if _, err := st.Sandbox(t.Context(), w.Key); !errors.Is(err, store.ErrNotFound) || b.count() != 0 {
		t.Errorf("row: %v; %d sandboxes", err, b.count())
	}
}

func TestACollectionThatWasCutShortIsFinishedByTheNext(t *testing.T) {
	st, b := openStore(t), newBackend()
	unusedFor(t, st, b, 24*time.Hour)
	b.onDestroy = func() error { return sandbox.Errorf(sandbox.Unavailable, "the plugin was killed") }
	if err := Collect(t.Context(), st, b, wasted(t, st, b, WasteOptions{}), Claimant{}); !errors.Is(err, sandbox.Unavailable) {
		t.Fatalf("error: %v", err)
	}
	b.onDestroy = nil
	w := wasted(t, st, b, WasteOptions{})
	if w.Kind != WasteHalf {
		t.Fatalf("got %+v", w)
	}
	if err := Collect(t.Context(), st, b, w, Claimant{}); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
	if got := wasted(t, st, b, WasteOptions{}); got.Kind != "" {
		t.Errorf("left: %+v", got)
	}
}

func TestWhatAKilledCreateLeftIsCollected(t *testing.T) {
	st, b := openStore(t), newBackend()
	w := want()
	row := store.SandboxRow{Key: w.Key, Type: w.Type, Config: w.Config, Spec: w.Spec, Thread: w.Thread, State: store.Creating}
	if err := st.PutSandbox(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(t.Context(), sandbox.CreateRequest{Key: w.Key, Labels: sandbox.Labels{Key: w.Key, Owner: st.Owner()}}); err != nil {
		t.Fatal(err)
	}
	found := wasted(t, st, b, WasteOptions{})
	if found.Kind != WasteHalf {
		t.Fatalf("got %+v", found)
	}
	if err := Collect(t.Context(), st, b, found, Claimant{}); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
}

func TestTheRowOfWhatIsGoneIsForgottenUnlessItIsBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		st, b := openStore(t), newBackend()
		row := unusedFor(t, st, b, 0)
		if err := b.Destroy(t.Context(), row.ID); err != nil {
			t.Fatal(err)
		}
		w := wasted(t, st, b, WasteOptions{})
		if w.Kind != WasteGone {
			t.Fatalf("got %+v", w)
		}
		if back {
			b.boxes[row.ID] = sandbox.Labels{Key: row.Key}
		}
		err := Collect(t.Context(), st, b, w, Claimant{})
		_, kept := errors.AsType[*KeptError](err)
		_, rerr := st.Sandbox(t.Context(), row.Key)
		if kept != back || !back && err != nil || errors.Is(rerr, store.ErrNotFound) == back {
			t.Errorf("back %v: %v; row: %v", back, err, rerr)
		}
	}
}

func TestTheRowOfWhatIsElsewhereIsKept(t *testing.T) {
	st, b := openStore(t), newBackend()
	row := unusedFor(t, st, b, 0)
	delete(b.boxes, row.ID)
	b.onDestroy = func() error { return sandbox.Errorf(sandbox.Unavailable, "it is on another engine") }
	w := wasted(t, st, b, WasteOptions{})
	if w.Kind != WasteGone {
		t.Fatalf("got %+v", w)
	}
	if err := Collect(t.Context(), st, b, w, Claimant{}); !errors.Is(err, sandbox.Unavailable) {
		t.Errorf("collected: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), row.Key); err != nil {
		t.Errorf("the row: %v", err)
	}
}

func TestOnlyOrphansOfThisStoreAreWaste(t *testing.T) {
	st, b := openStore(t), newBackend()
	spec := &config.Spec{Provider: config.Plugin{Type: "memory", Config: []byte("{}")}}
	ours := sandbox.Labels{Owner: st.Owner(), Key: "00000000000000000000"}
	b.boxes = map[string]sandbox.Labels{
		"ours": ours, "theirs": {Owner: "another store"}, "whose": {Owner: sandbox.OwnerUnknown}, "unlabelled": {},
	}
	w := wasted(t, st, b, WasteOptions{Specs: []*config.Spec{spec}})
	if w.Kind != WasteOrphan || w.ID != "ours" {
		t.Fatalf("got %+v", w)
	}
	b.boxes["ours"] = sandbox.Labels{Owner: sandbox.OwnerUnknown}
	if _, ok := errors.AsType[*KeptError](Collect(t.Context(), st, b, w, Claimant{})); !ok {
		t.Error("one that says of itself no more that it is ours was collected")
	}
	b.boxes["ours"] = ours
	if err := st.PutSandbox(t.Context(), store.SandboxRow{Key: ours.Key, Type: "memory", State: store.Creating}); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*KeptError](Collect(t.Context(), st, b, w, Claimant{})); !ok {
		t.Error("one that a run is making was collected")
	}
	if err := st.DeleteSandbox(t.Context(), ours.Key); err != nil {
		t.Fatal(err)
	}
	if err := Collect(t.Context(), st, b, w, Claimant{}); err != nil || b.count() != 3 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
}

func TestNothingOfAProviderThatGivesNoAnswerIsWaste(t *testing.T) {
	st, b := openStore(t), newBackend()
	unusedFor(t, st, b, 24*time.Hour)
	down := errors.New("down")
	all, lost, err := Wasted(t.Context(), st, func(context.Context, *config.Spec) ([]sandbox.Summary, error) { return nil, down },
		WasteOptions{Patience: time.Minute, Specs: []*config.Spec{{Provider: config.Plugin{Type: "other"}}}})
	if err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	want := []string{"memory: down"} // of the one that isn't needed nothing is told
	var got []string
	for _, u := range lost {
		got = append(got, u.Type+": "+u.Err.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
