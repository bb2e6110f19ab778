package sandboxes

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestASandboxIsMadeOnceAndThenResumed(t *testing.T) {
	st, b := openStore(t), newBackend()
	var phases []string
	tell := func(p Phase) { phases = append(phases, p.Name+" "+p.State) }
	for range 3 {
		sb, err := Ensure(t.Context(), st, b, want(), tell)
		if err != nil || sb.ID() != "box-1" {
			t.Fatalf("got %v, %v", sb, err)
		}
	}
	if b.made != 1 {
		t.Errorf("made %d sandboxes", b.made)
	}
	if phases[0] != "create start" || phases[1] != "create done" || phases[2] != "resume start" {
		t.Errorf("phases: %q", phases)
	}
	row, err := st.Sandbox(t.Context(), want().Key)
	if err != nil || row.State != store.Ready || row.ID != "box-1" {
		t.Errorf("row: %+v, %v", row, err)
	}
	if l := b.boxes["box-1"]; l.Owner != st.Owner() || l.Thread != "t" || l.Project != "/p" || l.Key != want().Key {
		t.Errorf("labels: %+v", l)
	}
}

func TestOnlyAGoneSandboxIsMadeAnew(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		made int
	}{
		{"gone", sandbox.Errorf(sandbox.Gone, "gone"), 2},
		{"out of reach", sandbox.Errorf(sandbox.Unavailable, "down"), 1},
		{"bad key", sandbox.Errorf(sandbox.Unauthenticated, "no"), 1},
		{"a bug", errors.New("boom"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, b := openStore(t), newBackend()
			if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
				t.Fatal(err)
			}
			b.onResume = func() error { return c.err }
			if c.made == 2 {
				delete(b.boxes, "box-1")
			}
			_, err := Ensure(t.Context(), st, b, want(), silent)
			if (err == nil) != (c.made == 2) || c.made == 1 && !errors.Is(err, c.err) {
				t.Errorf("error: %v", err)
			}
			if b.made != c.made {
				t.Errorf("made %d sandboxes, want %d", b.made, c.made)
			}
			if row, err := st.Sandbox(t.Context(), want().Key); err != nil || row.ID == "" {
				t.Errorf("row: %+v, %v", row, err)
			}
		})
	}
}

func TestAFailedCreateLeavesNoRow(t *testing.T) {
	st, b := openStore(t), newBackend()
	b.onCreate = func(context.Context) error { return sandbox.Errorf(sandbox.Exhausted, "disk is full") }
	if _, err := Ensure(t.Context(), st, b, want(), silent); !errors.Is(err, sandbox.Exhausted) {
		t.Errorf("error: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), want().Key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("row: %v", err)
	}
}

func TestACreateWhoseAnswerIsLostLeavesNothing(t *testing.T) {
	for _, class := range []sandbox.Class{sandbox.Unavailable, sandbox.Canceled, sandbox.TimedOut} {
		t.Run(string(class), func(t *testing.T) {
			st, b := openStore(t), newBackend()
			b.onCreate = func(context.Context) error {
				b.boxes["late"] = sandbox.Labels{Key: want().Key}
				return sandbox.Errorf(class, "the answer is lost")
			}
			if _, err := Ensure(t.Context(), st, b, want(), silent); !errors.Is(err, class) {
				t.Fatalf("error: %v", err)
			}
			if _, err := st.Sandbox(t.Context(), want().Key); !errors.Is(err, store.ErrNotFound) || b.count() != 0 {
				t.Errorf("row: %v; %d sandboxes left", err, b.count())
			}
		})
	}
}

func TestACreateThatCannotBeLookedAfterKeepsItsRow(t *testing.T) {
	st, b := openStore(t), newBackend()
	b.onCreate = func(context.Context) error {
		b.boxes["late"] = sandbox.Labels{Key: want().Key}
		b.onDestroy = func() error { return sandbox.Errorf(sandbox.Unavailable, "the plugin died") }
		return sandbox.Errorf(sandbox.Unavailable, "the plugin died")
	}
	if _, err := Ensure(t.Context(), st, b, want(), silent); !errors.Is(err, sandbox.Unavailable) {
		t.Fatalf("error: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), want().Key); err != nil {
		t.Errorf("row: %v", err)
	}
	b.onCreate, b.onDestroy = nil, nil
	if err := Destroy(t.Context(), st, b, want().Key, "", Claimant{}); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes left", err, b.count())
	}
}

func TestEnsuresAtOnceMakeOneSandbox(t *testing.T) {
	st, b := openStore(t), newBackend()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if b.made != 1 {
		t.Errorf("made %d sandboxes", b.made)
	}
}

func TestACanceledEnsureGivesUp(t *testing.T) {
	st, b := openStore(t), newBackend()
	ctx, cancel := context.WithCancel(t.Context())
	b.onCreate = func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return sandbox.Errorf(sandbox.Canceled, "canceled")
	}
	if _, err := Ensure(ctx, st, b, want(), silent); !errors.Is(err, sandbox.Canceled) {
		t.Errorf("error: %v", err)
	}
	if _, err := st.Sandbox(t.Context(), want().Key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("row: %v", err)
	}
}
