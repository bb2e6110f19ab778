package runs

import (
	"errors"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWhoCanCloseTheNetwork(t *testing.T) {
	deny := config.Network{Default: "deny"}
	but := config.Network{Default: "deny", AllowHosts: []string{"a.example"}}
	model := harness.Traits{ModelHosts: []string{"api.example.com"}}
	for _, c := range []struct {
		name    string
		network config.Network
		traits  harness.Traits
		can     sandbox.NetworkPolicy
		says    string // empty: the sandbox is made
	}{
		{"an open network is everybody's", config.Network{}, model, sandbox.NetworkNone, ""},
		{"one that is asked for too", config.Network{Default: "ask"}, model, sandbox.NetworkNone, ""},
		{"none that is denied is left open", deny, harness.Traits{}, sandbox.NetworkNone, `policy "p" denies the network, and provider box can't close it`},
		{"one is closed as a whole", deny, harness.Traits{}, sandbox.NetworkDenyAll, ""},
		{"not but for a host", but, harness.Traits{}, sandbox.NetworkDenyAll, `but for "a.example"`},
		{"an agent's model counts as a host", deny, model, sandbox.NetworkDenyAll, `harness bot needs "api.example.com"`},
		{"some know hosts", but, model, sandbox.NetworkAllowList, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := &config.Spec{Policy: config.Policy{Name: "p", Network: c.network}}
			spec.Provider.Type, spec.Harness.Type = "box", "bot"
			err := CheckNetwork(spec, c.traits, sandbox.Capabilities{NetworkPolicy: c.can})
			if c.says == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			known, _ := errors.AsType[*sandbox.Error](err)
			if !errors.Is(err, sandbox.Unsupported) || !strings.Contains(err.Error(), c.says) || known.Hint == "" {
				t.Errorf("got %v, want %q and what to do", err, c.says)
			}
		})
	}
	denied := Holdings(config.Policy{Network: deny}, harness.Traits{})
	if h := denied[len(denied)-1]; h.By != "provider" || h.String() != "network = deny" || h.Vain() {
		t.Errorf("a closed network is held by %+v", h)
	}
}
