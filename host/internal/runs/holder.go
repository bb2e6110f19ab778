package runs

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Nobody is who holds a rule that has no effect.
const Nobody = "nobody"

// Holding is who holds one rule of a policy. Rule is as a person reads it.
type Holding struct {
	Rule   string // e.g. `commands "git diff *"`
	Action string // "allow", "ask", "deny"
	By     string // "agent", "sandlot", "provider" or Nobody
	How    string // in words
}

// Vain reports whether the rule would keep an agent from something, and doesn't.
func (h Holding) Vain() bool { return h.By == Nobody && h.Action != string(policy.Allow) }

// String is the rule as a text, such as `commands "rm *" = deny`.
func (h Holding) String() string { return h.Rule + " = " + h.Action }

// Holdings tells who holds each rule of a policy, by what the harness says of its
// agent.
func Holdings(pol config.Policy, traits harness.Traits) []Holding {
	var all []Holding
	add := func(rule, action string, by harness.Enforces) {
		h := Holding{Rule: rule, Action: action}
		h.By, h.How = Holder(by, action)
		all = append(all, h)
	}
	for _, list := range []struct {
		action policy.Action
		globs  []string
	}{{policy.Deny, pol.Commands.Deny}, {policy.Ask, pol.Commands.Ask}, {policy.Allow, pol.Commands.Allow}} {
		if len(list.globs) > 0 {
			add("commands "+quoted(list.globs), string(list.action), traits.Commands)
		}
	}
	add("file_write", pol.FileWrite, traits.FileWrites)
	if rules := Rules(pol, nil); rules.FileWrite == policy.Allow && !rules.Free() {
		elsewhere := policy.Ask
		if rules.Default == policy.Deny {
			elsewhere = policy.Deny
		}
		add("file_write elsewhere", string(elsewhere), traits.FileWrites)
	}
	add("default", pol.Default, traits.Commands)
	n := pol.Network
	if len(n.AllowHosts) > 0 {
		h := Holding{Rule: "network.allow_hosts " + quoted(n.AllowHosts), Action: string(policy.Allow)}
		h.By, _ = Holder(traits.NetworkRules, h.Action)
		h.How = ownTools
		all = append(all, h)
	}
	h := Holding{Rule: "network", Action: cmp.Or(n.Default, string(policy.Allow))}
	h.By, h.How = NetworkHolder(n, traits.NetworkRules, h.Action)
	return append(all, h)
}

// ownTools is how far a rule about hosts reaches.
const ownTools = "for the agent's own web tools; its commands reach any host"

// NetworkHolder says who holds what a policy decides about a host, and how.
func NetworkHolder(n config.Network, by harness.Enforces, action string) (who, how string) {
	switch {
	case n.Default == "":
		return Nobody, "nothing is kept from the network"
	case n.Default == string(policy.Deny) && action == n.Default:
		return "provider", "the sandbox has no network, or isn't made"
	}
	if who, how = Holder(by, action); who != Nobody {
		how = ownTools
	}
	return who, how
}

// Holder says who holds a rule with that action, and how.
func Holder(by harness.Enforces, action string) (who, how string) {
	switch {
	case by == harness.EnforcesNatively:
		return "agent", "by its own rules"
	case by == harness.EnforcesEachCall:
		return "sandlot", map[string]string{
			string(policy.Allow): "allowed; each call is decided before it is made",
			string(policy.Ask):   "put to you before the call is made",
			string(policy.Deny):  "denied before the call is made",
		}[action]
	case action == string(policy.Allow) && by == harness.EnforcesByAsking:
		return "sandlot", "allowed when asked for"
	case action == string(policy.Allow):
		return Nobody, "the agent asks for nothing"
	case by == harness.EnforcesByAsking && action == string(policy.Ask):
		return "sandlot", "put to you; the agent must ask"
	case by == harness.EnforcesByAsking:
		return "sandlot", "denied; the agent must ask"
	}
	return Nobody, "the agent neither asks nor has rules"
}

// CheckStrict refuses a strict policy with a rule that nobody holds.
func CheckStrict(spec *config.Spec, traits harness.Traits) error {
	if !spec.Policy.Strict {
		return nil
	}
	var vain []string
	for _, h := range Holdings(spec.Policy, traits) {
		if h.Vain() {
			vain = append(vain, h.String())
		}
	}
	if len(vain) == 0 {
		return nil
	}
	return fmt.Errorf("policy %q is strict, and with harness %s nobody holds %s; take another harness or leave out strict",
		spec.Policy.Name, spec.Harness.Type, strings.Join(vain, ", "))
}

func quoted(globs []string) string {
	all := make([]string, len(globs))
	for i, g := range globs {
		all[i] = strconv.Quote(g)
	}
	return strings.Join(all, ", ")
}
