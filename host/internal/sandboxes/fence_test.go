package sandboxes

import (
	"context"
	"errors"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// takeLease has another process take the lease on the sandbox, as it may once the
// holder was stopped for longer than the lease lasts.
func takeLease(t *testing.T, st *store.Store) {
	t.Helper()
	name := "sandbox/" + want().Key
	holder, err := st.LeaseHolder(t.Context(), name)
	if err == nil && holder != "" {
		err = st.ReleaseLease(t.Context(), name, holder)
	}
	if err == nil {
		_, _, err = st.Acquire(t.Context(), name, "another", leaseTTL)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sleeper is a provider whose caller is stopped right before a call.
type sleeper struct {
	*backend

	onList, onCreated func()
}

func (s sleeper) List(ctx context.Context) ([]sandbox.Summary, error) {
	s.onList()
	return s.backend.List(ctx)
}

func (s sleeper) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	defer s.onCreated()
	return s.backend.Create(ctx, req)
}

func TestWhoLostTheLeaseRemovesNothing(t *testing.T) {
	st, b := openStore(t), newBackend()
	w := want()
	row := store.SandboxRow{Key: w.Key, Config: w.Config, Spec: w.Spec, State: store.Creating}
	if err := st.PutSandbox(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	b.boxes["theirs"] = sandbox.Labels{Key: w.Key}
	p := sleeper{backend: b, onList: func() { takeLease(t, st) }}
	if err := Destroy(t.Context(), st, p, w.Key, "", Claimant{}); !errors.Is(err, store.ErrFenced) || b.count() != 1 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
}

func TestWhoMayNotGoOnMakesAndRemovesNothing(t *testing.T) {
	st, b := openStore(t), newBackend()
	no := Claimant{Still: func(context.Context) error { return store.ErrFenced }}
	w := want()
	w.Claimant = no
	if _, err := Ensure(t.Context(), st, b, w, silent); !errors.Is(err, store.ErrFenced) || b.made != 0 {
		t.Errorf("ensure: %v; made %d", err, b.made)
	}
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	if err := Destroy(t.Context(), st, b, w.Key, "", no); !errors.Is(err, store.ErrFenced) || b.count() != 1 {
		t.Errorf("destroy: %v; %d sandboxes", err, b.count())
	}
}

// TestACreateThatLostItsLeaseLeavesTheSandboxToWhoTookIt: a provider that names
// sandboxes by their key gives both the same one.
func TestACreateThatLostItsLeaseLeavesTheSandboxToWhoTookIt(t *testing.T) {
	for _, c := range []struct {
		name string
		row  store.SandboxRow // as the other process has left it
		left int
	}{
		{"the same one is theirs", store.SandboxRow{ID: "box-1", State: store.Ready}, 1},
		{"they are about to be given it", store.SandboxRow{State: store.Creating}, 1},
		{"they have another", store.SandboxRow{ID: "box-7", State: store.Ready}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, b := openStore(t), newBackend()
			p := sleeper{backend: b, onCreated: func() {
				takeLease(t, st)
				row := c.row
				row.Key, row.Config, row.Spec = want().Key, []byte("{}"), []byte("{}")
				if err := st.PutSandbox(t.Context(), row); err != nil {
					t.Error(err)
				}
			}}
			if _, err := Ensure(t.Context(), st, p, want(), silent); !errors.Is(err, store.ErrFenced) {
				t.Errorf("error: %v", err)
			}
			row, err := st.Sandbox(t.Context(), want().Key)
			if err != nil || row.ID != c.row.ID || row.State != c.row.State || b.count() != c.left {
				t.Errorf("row %+v, %v; %d sandboxes left, want %d", row, err, b.count(), c.left)
			}
		})
	}
}

func TestTheLeaseOfAProcessThatIsGoneIsTakenAtOnce(t *testing.T) {
	st, b := openStore(t), newBackend()
	dead := Claimant{Process: store.Driver{BootID: "b", PID: 7, StartTime: "1"}}
	l, err := hold(t.Context(), st, want().Key, dead, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.stop() // and never gives the lease back
	w := want()
	w.Claimant = Claimant{
		Process: store.Driver{BootID: "b", PID: 8, StartTime: "2"},
		Gone:    func(d store.Driver) bool { return d == dead.Process },
	}
	if _, err := Ensure(t.Context(), st, b, w, silent); err != nil {
		t.Fatal(err)
	}
	if err := l.still(t.Context()); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the old lease still counts: %v", err)
	}
}
