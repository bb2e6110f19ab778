package runs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestWhoHoldsARule(t *testing.T) {
	each, asks, cannot, natively := harness.EnforcesEachCall, harness.EnforcesByAsking, harness.EnforcesNot, harness.EnforcesNatively
	for _, tt := range []struct {
		name    string
		by      harness.Enforces
		actions map[string]string // who, by action
	}{
		{"an agent each of whose calls is put to us is held by us", each, map[string]string{"allow": "sandlot", "ask": "sandlot", "deny": "sandlot"}},
		{"an agent that asks is held by us", asks, map[string]string{"allow": "sandlot", "ask": "sandlot", "deny": "sandlot"}},
		{"an agent with rules holds itself", natively, map[string]string{"allow": "agent", "ask": "agent", "deny": "agent"}},
		{"an agent that does neither is held by nobody", cannot, map[string]string{"allow": Nobody, "ask": Nobody, "deny": Nobody}},
		{"an agent of which nothing is known is held by nobody", "", map[string]string{"allow": Nobody, "ask": Nobody, "deny": Nobody}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]string{}
			for action := range tt.actions {
				var how string
				if got[action], how = Holder(tt.by, action); how == "" {
					t.Errorf("%s isn't worded", action)
				}
			}
			if diff := cmp.Diff(tt.actions, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAStrictPolicyIsRefusedWhereNobodyHoldsARule(t *testing.T) {
	asks, cannot := harness.EnforcesByAsking, harness.EnforcesNot
	deny := config.Policy{Name: "p", Default: "allow", FileWrite: "allow", Commands: config.Commands{Deny: []string{"rm *", "sudo"}}}
	for _, tt := range []struct {
		name   string
		policy config.Policy
		traits harness.Traits
		want   string // the rules that are named; empty: no error
	}{
		{"all rules are held", config.Policy{Name: "p", Default: "ask", FileWrite: "deny"}, harness.Traits{Commands: asks, FileWrites: asks}, ""},
		{"a denied command", deny, harness.Traits{Commands: cannot}, `commands "rm *", "sudo" = deny, file_write elsewhere = ask;`},
		{"writes outside of the workspace", config.Policy{Name: "p", Default: "deny", FileWrite: "allow"}, harness.Traits{Commands: asks, FileWrites: cannot}, "file_write elsewhere = deny;"},
		{"writes that are denied", config.Policy{Name: "p", Default: "allow", FileWrite: "deny"}, harness.Traits{Commands: asks, FileWrites: cannot}, "file_write = deny;"},
		{"a default that asks about commands", config.Policy{Name: "p", Default: "ask", FileWrite: "ask"}, harness.Traits{Commands: cannot, FileWrites: asks}, "default = ask;"},
		{"several", config.Policy{Name: "p", Default: "ask", FileWrite: "ask"}, harness.Traits{}, "file_write = ask, default = ask;"},
		{"what is allowed needs nobody", config.Policy{Name: "p", Default: "allow", FileWrite: "allow"}, harness.Traits{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := &config.Spec{Policy: tt.policy}
			spec.Harness.Type = "h"
			if err := CheckStrict(spec, tt.traits); err != nil {
				t.Errorf("a policy that isn't strict is refused: %v", err)
			}
			spec.Policy.Strict = true
			err := CheckStrict(spec, tt.traits)
			switch {
			case (err == nil) != (tt.want == ""):
				t.Errorf("got %v", err)
			case err != nil && !strings.Contains(err.Error(), `policy "p" is strict, and with harness h nobody holds `+tt.want):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestWhoHoldsANetworkRule(t *testing.T) {
	pol := config.Policy{Default: "ask", FileWrite: "ask", Network: config.Network{Default: "ask", AllowHosts: []string{"a.example"}}}
	for _, c := range []struct {
		name string
		by   harness.Enforces
		want []string
	}{
		{"an agent that asks", harness.EnforcesByAsking, []string{`sandlot network.allow_hosts "a.example" = allow`, "sandlot network = ask"}},
		{"one that doesn't", harness.EnforcesNot, []string{`nobody network.allow_hosts "a.example" = allow`, "nobody network = ask"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := Holdings(pol, harness.Traits{Commands: harness.EnforcesByAsking, FileWrites: harness.EnforcesByAsking, NetworkRules: c.by})
			var got []string
			for _, h := range all[len(all)-2:] {
				got = append(got, h.By+" "+h.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			strict := &config.Spec{Policy: pol}
			strict.Policy.Strict = true
			if err := CheckStrict(strict, harness.Traits{Commands: harness.EnforcesByAsking, FileWrites: harness.EnforcesByAsking, NetworkRules: c.by}); (err != nil) != (c.by == harness.EnforcesNot) {
				t.Errorf("strict: %v", err)
			}
		})
	}
}
