package sandboxes

import (
	"errors"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestDestroyRemovesTheSandboxAndItsRow(t *testing.T) {
	st, b := openStore(t), newBackend()
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Destroy(t.Context(), st, b, want().Key, "", Claimant{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := st.Sandbox(t.Context(), want().Key); !errors.Is(err, store.ErrNotFound) || b.count() != 0 {
		t.Errorf("row: %v; %d sandboxes left", err, b.count())
	}
}

func TestASandboxInUseIsRefusedAndTheRunNamed(t *testing.T) {
	st, b := openStore(t), newBackend()
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	run, err := st.CreateRun(t.Context(), store.NewRun{ID: "live", ThreadName: "t", Project: "/p", Harness: "h", Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := st.Claim(t.Context(), run.ID, store.Driver{BootID: "b", PID: 1, StartTime: "1"}, CreateTimeout, nil)
	if err != nil {
		t.Fatal(err)
	}
	key := want().Key
	if err := st.UpdateRun(t.Context(), run.ID, epoch, store.RunUpdate{Sandbox: &key}); err != nil {
		t.Fatal(err)
	}
	err = Destroy(t.Context(), st, b, key, "", Claimant{})
	if busy, ok := errors.AsType[*InUseError](err); !ok || busy.Run != "live" || b.count() != 1 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
	l, err := hold(t.Context(), st, key, Claimant{}, nil) // as a run does while it makes its sandbox
	if err != nil {
		t.Fatal(err)
	}
	err = Destroy(t.Context(), st, b, key, "", Claimant{})
	if busy, ok := errors.AsType[*InUseError](err); !ok || busy.Run != "live" {
		t.Errorf("while it is made: %v", err)
	}
	l.release(t.Context())
	if err := Destroy(t.Context(), st, b, key, "live", Claimant{}); err != nil || b.count() != 0 {
		t.Errorf("its own run may remove it: %v; %d sandboxes", err, b.count())
	}
}

func TestARemovalThatFailedIsFinishedByTheNextEnsure(t *testing.T) {
	st, b := openStore(t), newBackend()
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	b.onDestroy = func() error { return sandbox.Errorf(sandbox.Unavailable, "down") }
	if err := Destroy(t.Context(), st, b, want().Key, "", Claimant{}); !errors.Is(err, sandbox.Unavailable) {
		t.Fatalf("error: %v", err)
	}
	if row, err := st.Sandbox(t.Context(), want().Key); err != nil || row.State != store.Destroying {
		t.Errorf("row: %+v, %v", row, err)
	}
	b.onDestroy = nil
	sb, err := Ensure(t.Context(), st, b, want(), silent)
	if err != nil || sb.ID() != "box-2" || b.count() != 1 {
		t.Errorf("got %v, %v; %d sandboxes", sb, err, b.count())
	}
}

func TestWhatAnUnfinishedCreateLeftIsRemoved(t *testing.T) {
	st, b := openStore(t), newBackend()
	w := want()
	row := store.SandboxRow{
		Key: w.Key, SetupKey: w.SetupKey, Type: w.Type, Config: w.Config, Spec: w.Spec, Block: w.Block,
		Project: w.Project, Thread: w.Thread, Run: w.Run, State: store.Creating,
	}
	if err := st.PutSandbox(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(t.Context(), sandbox.CreateRequest{Key: w.Key, Labels: sandbox.Labels{Key: w.Key}}); err != nil {
		t.Fatal(err)
	}
	if err := Destroy(t.Context(), st, b, w.Key, "", Claimant{}); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes left", err, b.count())
	}
}
