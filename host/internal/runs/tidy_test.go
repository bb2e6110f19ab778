package runs

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// oneBox are the plugins of a machine with one sandbox.
type oneBox struct {
	sandbox.Provider // what isn't needed here isn't there

	destroyed []string
}

func (o *oneBox) Destroy(_ context.Context, id string) error {
	o.destroyed = append(o.destroyed, id)
	return nil
}

func (o *oneBox) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return nil, sandbox.Errorf(sandbox.Gone, "it is gone")
}

func (o *oneBox) Err() error   { return nil }
func (o *oneBox) Close() error { return nil }

// onePlugins hands out that provider.
type onePlugins struct{ box *oneBox }

func (p onePlugins) Provider(context.Context, Block) (Provider, error) {
	return p.box, nil
}

func (p onePlugins) Harness(context.Context, Block) (Harness, error) {
	return nil, sandbox.Errorf(sandbox.NotFound, "no harness here")
}

// TestDrivingAnEndedRunRemovesWhatItsDriverLeft is the driver that dies between
// a run's terminal event and the removal of its sandbox.
func TestDrivingAnEndedRunRemovesWhatItsDriverLeft(t *testing.T) {
	for _, c := range []struct {
		name    string
		reuse   string
		removed int
	}{
		{"a sandbox of this run alone", "none", 1},
		{"a thread's sandbox", "thread", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			spec, err := json.Marshal(Record{Spec: &config.Spec{Lifecycle: config.Lifecycle{Reuse: c.reuse}}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = st.CreateRun(t.Context(), store.NewRun{ID: "r", ThreadName: "t", Project: "/p", Harness: "h", Spec: spec})
			if err != nil {
				t.Fatal(err)
			}
			gone := store.Driver{BootID: boot(), PID: 1 << 30, StartTime: "1"}
			epoch, err := st.Claim(t.Context(), "r", gone, leaseTTL, nil)
			if err != nil {
				t.Fatal(err)
			}
			key := "0123456789abcdef"
			row := store.SandboxRow{Key: key, ID: "box", Config: []byte("{}"), Spec: []byte("{}"), State: store.Ready}
			if err := st.PutSandbox(t.Context(), row); err != nil {
				t.Fatal(err)
			}
			if err := st.UpdateRun(t.Context(), "r", epoch, store.RunUpdate{Sandbox: &key}); err != nil {
				t.Fatal(err)
			}
			if err := st.Finish(t.Context(), "r", epoch, nil, store.Outcome{Status: store.Completed}); err != nil {
				t.Fatal(err)
			}
			run, err := st.Run(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			if untidy, err := Untidy(t.Context(), st, run); err != nil || !untidy { // its journal may be there
				t.Errorf("untidy: %v, %v", untidy, err)
			}
			box := &oneBox{}
			engine := &Engine{
				Store: st, Plugins: onePlugins{box}, Log: slog.New(slog.DiscardHandler),
				Env: func(string) (string, bool) { return "", false },
			}
			for range 2 {
				if err := engine.Drive(t.Context(), "r"); err != nil {
					t.Fatal(err)
				}
				if untidy, err := Untidy(t.Context(), st, run); err != nil || untidy {
					t.Errorf("untidy still: %v, %v", untidy, err)
				}
			}
			if len(box.destroyed) != c.removed {
				t.Errorf("removed %q", box.destroyed)
			}
		})
	}
}
