package runs

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// lax is a harness whose agent neither asks nor has rules. No session of it is
// opened.
type lax struct{}

func (lax) Open(context.Context) (harness.Host, error) {
	return nil, sandbox.Errorf(sandbox.Unsupported, "no session here")
}

func (lax) SHA256() string         { return "" }
func (lax) Traits() harness.Traits { return harness.Traits{Commands: harness.EnforcesNot} }
func (lax) Err() error             { return nil }
func (lax) Close() error           { return nil }

// laxPlugins have that harness, and a provider of which nothing may be wanted.
type laxPlugins struct{ onePlugins }

func (laxPlugins) Harness(context.Context, Block) (Harness, error) { return lax{}, nil }

// TestADriverRefusesWhatItsHarnessCannotDo has runs that were accepted, by a harness
// that could do as they want say, and a driver that finds one which can't: no sandbox
// is made, let alone an agent started.
func TestADriverRefusesWhatItsHarnessCannotDo(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy config.Policy
		schema string
		says   string
	}{
		{
			"a strict policy that nobody holds",
			config.Policy{Name: "p", Strict: true, Default: "deny", FileWrite: "allow"},
			"",
			`policy "p" is strict, and with harness lax nobody holds file_write elsewhere = deny, default = deny`,
		},
		{
			"a schema that would be left aside",
			config.Policy{Default: "allow"},
			`{"type":"object"}`,
			"harness lax can't have its agent answer by a schema; leave out --schema",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			spec := &config.Spec{Policy: c.policy}
			spec.Harness.Type = "lax"
			record, err := json.Marshal(Record{Spec: spec, Approve: ApproveYes, Schema: json.RawMessage(c.schema)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.CreateRun(t.Context(), store.NewRun{ID: "r", ThreadName: "t", Project: "/p", Harness: "lax", Spec: record}); err != nil {
				t.Fatal(err)
			}
			box := &oneBox{} // it has no Create
			engine := &Engine{
				Store: st, Plugins: laxPlugins{onePlugins{box}}, Log: slog.New(slog.DiscardHandler),
				Env: func(string) (string, bool) { return "", false },
			}
			if err := engine.Drive(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
			run, err := st.Run(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			if run.Status != store.Failed || run.Reason != string(harness.ReasonBootstrapFailed) || !strings.Contains(run.Message, c.says) {
				t.Errorf("the run is %s, %s: %s", run.Status, run.Reason, run.Message)
			}
			if len(run.Launch) > 0 || run.Sandbox != "" {
				t.Errorf("an agent was launched: %s, in %q", run.Launch, run.Sandbox)
			}
		})
	}
}
