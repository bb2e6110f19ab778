package sandboxes

import (
	"errors"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func worker(pid int) Claimant {
	return Claimant{
		Process: store.Driver{BootID: "b", PID: pid, StartTime: "1"},
		Gone:    func(d store.Driver) bool { return d.PID == 13 },
	}
}

// made is a sandbox that is ready.
func made(t *testing.T) (*store.Store, *backend, store.SandboxRow) {
	t.Helper()
	st, b := openStore(t), newBackend()
	if _, err := Ensure(t.Context(), st, b, want(), silent); err != nil {
		t.Fatal(err)
	}
	row, err := st.Sandbox(t.Context(), want().Key)
	if err != nil {
		t.Fatal(err)
	}
	return st, b, row
}

func TestASandboxThatSomebodyWorksInIsNotDestroyed(t *testing.T) {
	st, b, row := made(t)
	use, err := Begin(t.Context(), st, row, "sandlot exec", worker(42))
	if err != nil {
		t.Fatal(err)
	}
	err = Destroy(t.Context(), st, b, row.Key, "", worker(1))
	if busy, ok := errors.AsType[*InUseError](err); !ok || busy.By != "sandlot exec (pid 42)" || b.count() != 1 {
		t.Fatalf("error: %v; %d sandboxes", err, b.count())
	}
	if now, err := st.Sandbox(t.Context(), row.Key); err != nil || now.State != store.Ready {
		t.Errorf("after the refusal it is %+v, %v", now.State, err)
	}
	use.End(t.Context())
	if err := Destroy(t.Context(), st, b, row.Key, "", worker(1)); err != nil || b.count() != 0 {
		t.Errorf("after the work: %v; %d sandboxes", err, b.count())
	}
}

func TestTheRunOfASandboxDestroysItUnderWhoWorksThere(t *testing.T) {
	st, b, row := made(t)
	use, err := Begin(t.Context(), st, row, "sandlot exec", worker(42))
	if err != nil {
		t.Fatal(err)
	}
	defer use.End(t.Context())
	if err := Destroy(t.Context(), st, b, row.Key, "its-run", worker(1)); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
}

func TestTheUseByAProcessThatIsGoneCountsNoMore(t *testing.T) {
	st, b, row := made(t)
	use, err := Begin(t.Context(), st, row, "sandlot exec", worker(13))
	if err != nil {
		t.Fatal(err)
	}
	defer use.End(t.Context())
	if err := Destroy(t.Context(), st, b, row.Key, "", worker(1)); err != nil || b.count() != 0 {
		t.Errorf("error: %v; %d sandboxes", err, b.count())
	}
}

func TestOnlyASandboxThatIsReadyIsUsed(t *testing.T) {
	tests := []struct {
		name  string
		state store.SandboxState
		run   string
		says  string
	}{
		{"one that a run makes", store.Creating, "r7", "it is being made by run r7"},
		{"one that is made without a run", store.Creating, "", "it is being made, or was never finished"},
		{"one that is removed", store.Destroying, "", "it is being removed"},
		{"one that is gone", store.Gone, "", "it is gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st, _, row := made(t)
			row.State, row.Run = tt.state, tt.run
			if err := st.PutSandbox(t.Context(), row); err != nil {
				t.Fatal(err)
			}
			use, err := Begin(t.Context(), st, row, "sandlot exec", worker(42))
			if err == nil {
				use.End(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error: %v, want one that says %q", err, tt.says)
			}
		})
	}
	t.Run("one without a row", func(t *testing.T) {
		st, _, row := made(t)
		row.Key = strings.Repeat("0", 64)
		if _, err := Begin(t.Context(), st, row, "sandlot exec", worker(42)); err == nil || !strings.Contains(err.Error(), "it was removed a moment ago") {
			t.Errorf("error: %v", err)
		}
	})
}
