package sandboxes

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// unready wants a sandbox whose setup fails: those of the backend run nothing.
func unready() Want {
	w := want()
	w.Fill.Workspace.Setup = []config.Setup{{Run: []string{"true"}, Timeout: time.Minute}}
	return w
}

func TestASandboxWhoseBootstrapFailsIsRemovedWithItsRow(t *testing.T) {
	st, b := openStore(t), newBackend()
	var during store.SandboxRow
	_, err := Ensure(t.Context(), st, b, unready(), func(p Phase) {
		if p.Name == "setup" && p.State == "start" {
			during, _ = st.Sandbox(t.Context(), want().Key)
		}
	})
	if !errors.Is(err, sandbox.Unsupported) {
		t.Errorf("error: %v", err)
	}
	if during.State != store.Creating || during.ID != "box-1" {
		t.Errorf("the row while it was made: %+v", during)
	}
	if _, err := st.Sandbox(t.Context(), want().Key); !errors.Is(err, store.ErrNotFound) || b.count() != 0 {
		t.Errorf("row: %v; %d sandboxes left", err, b.count())
	}
}

func TestAHalfMadeSandboxThatCannotBeRemovedIsMadeAnewLater(t *testing.T) {
	st, b := openStore(t), newBackend()
	b.onDestroy = func() error { return sandbox.Errorf(sandbox.Unavailable, "the plugin died") }
	if _, err := Ensure(t.Context(), st, b, unready(), silent); !errors.Is(err, sandbox.Unsupported) || !errors.Is(err, sandbox.Unavailable) {
		t.Fatalf("error: %v", err)
	}
	if row, err := st.Sandbox(t.Context(), want().Key); err != nil || !row.HalfMade() {
		t.Errorf("row: %+v, %v", row, err)
	}
	b.onDestroy = nil
	sb, err := Ensure(t.Context(), st, b, want(), silent)
	if err != nil || sb.ID() != "box-2" || b.count() != 1 {
		t.Errorf("got %v, %v; %d sandboxes", sb, err, b.count())
	}
}

func TestWhatADeadProcessWasMakingIsNeverResumed(t *testing.T) {
	for _, id := range []string{"box-1", ""} { // it had noted the answer of the create, or not yet
		st, b := openStore(t), newBackend()
		w := want()
		if _, err := b.Create(t.Context(), sandbox.CreateRequest{Key: w.Key, Labels: sandbox.Labels{Key: w.Key}}); err != nil {
			t.Fatal(err)
		}
		row := store.SandboxRow{Key: w.Key, ID: id, Config: w.Config, Spec: w.Spec, State: store.Creating}
		if err := st.PutSandbox(t.Context(), row); err != nil {
			t.Fatal(err)
		}
		sb, err := Ensure(t.Context(), st, b, w, silent)
		if err != nil || sb.ID() != "box-2" || b.count() != 1 {
			t.Errorf("got %v, %v; %d sandboxes", sb, err, b.count())
		}
	}
}

func TestACreateTakesAsLongAsItsPullMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, moved, stop := patient(t.Context(), "create")
		defer stop()
		for range 10 {
			<-time.After(CreateTimeout - time.Second)
			moved()
		}
		if err := ctx.Err(); err != nil {
			t.Fatal(err)
		}
		<-time.After(CreateTimeout)
		synctest.Wait()
		if err := becauseOf(ctx, errors.New("canceled")); !errors.Is(err, sandbox.TimedOut) {
			t.Errorf("after %s without a sign: %v", CreateTimeout, err)
		}
	})
}
