package policy

import "fmt"

// Decide answers a request. It never fails: an action that a policy can't have is
// taken for Deny, an unknown kind gets the default.
func Decide(p Policy, r Request) Decision {
	switch r.Kind {
	case Command:
		return decideText(p, r.Target)
	case FileWrite:
		return p.write(func() string { return p.Places.looker().target(r.Target) })
	case Network:
		if rule := hostRule(p.AllowHosts, r.Target); rule != "" {
			return Decision{Allow, rule}
		}
		return checked(p.Network, Allow, "network.default")
	}
	return byDefault(p)
}

// byDefaultRule is the name of the rule for what no other rule names.
const byDefaultRule = "default"

func byDefault(p Policy) Decision { return checked(p.Default, Ask, byDefaultRule) }

func checked(a, empty Action, rule string) Decision {
	switch a {
	case "":
		return Decision{empty, rule}
	case Allow, Ask, Deny:
		return Decision{a, rule}
	}
	return Decision{Deny, fmt.Sprintf("%s (%q is no action)", rule, string(a))}
}
