package runs

import (
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// networkOf is what a policy has a provider decide; it knows neither "ask" nor the
// hosts that the harness's agent needs.
func networkOf(n config.Network) sandbox.Network {
	if n.Default != string(policy.Deny) {
		return sandbox.Network{}
	}
	return sandbox.Network{Deny: true, AllowHosts: n.AllowHosts}
}

// CheckNetwork refuses a policy that denies the network to a sandbox whose provider
// can't close it as far as that: whatever a policy says is held, or nothing is made.
func CheckNetwork(spec *config.Spec, traits harness.Traits, can sandbox.Capabilities) error {
	n := networkOf(spec.Policy.Network)
	if !n.Deny || can.NetworkPolicy == sandbox.NetworkAllowList {
		return nil
	}
	what := fmt.Sprintf("policy %q denies the network", spec.Policy.Name)

	refused := func(hint, format string, args ...any) error {
		return &sandbox.Error{
			Class: sandbox.Unsupported, Provider: spec.Provider.Type, Capability: "network_policy",
			Message: what + fmt.Sprintf(format, args...), Hint: hint,
		}
	}
	switch {
	case can.NetworkPolicy != sandbox.NetworkDenyAll:
		return refused("take a provider that can, such as docker, or leave the network open", ", and provider %s can't close it", spec.Provider.Type)
	case len(n.AllowHosts) > 0:
		return refused("leave allow_hosts out, or take default = \"ask\"",
			" but for %s, and provider %s can only close it as a whole", quoted(n.AllowHosts), spec.Provider.Type)
	case len(traits.ModelHosts) > 0:
		return refused("take default = \"ask\" or \"allow\"; deny is for agents that need no network",
			", and harness %s needs %s; provider %s can only close it as a whole", spec.Harness.Type, quoted(traits.ModelHosts), spec.Provider.Type)
	}
	return nil
}

// networkHeld is CheckNetwork of a provider that runs.
func networkHeld(spec *config.Spec, traits harness.Traits, p sandbox.Provider) error {
	if !networkOf(spec.Policy.Network).Deny {
		return nil
	}
	return CheckNetwork(spec, traits, p.Capabilities())
}
