package policy

import "fmt"

// Decide answers a request. It never fails: an action a policy can't have is
// taken for Deny, an unknown kind gets the default.
func Decide(p Policy, r Request) Decision {
	fallback := checked(p.Default, Ask, "default")
	switch r.Kind {
	case Command:
		return decideCommand(p.Commands, r.Target, fallback)
	case FileWrite:
		if p.FileWrite == "" {
			return fallback
		}
		return checked(p.FileWrite, Ask, "file_write")
	case Network:
		return checked(p.Network, Allow, "network.default")
	}
	return fallback
}

func checked(a, empty Action, rule string) Decision {
	switch a {
	case "":
		return Decision{empty, rule}
	case Allow, Ask, Deny:
		return Decision{a, rule}
	}
	return Decision{Deny, fmt.Sprintf("%s (%q is no action)", rule, string(a))}
}

func decideCommand(rules Commands, command string, fallback Decision) Decision {
	whole := normalise(command)
	pieces := append([]string{whole}, split(whole)...)
	for _, list := range []struct {
		action Action
		globs  []string
	}{{Deny, rules.Deny}, {Ask, rules.Ask}} {
		for _, glob := range list.globs {
			for _, piece := range pieces {
				if match(normalise(glob), piece) {
					return Decision{list.action, fmt.Sprintf("commands.%s %q", list.action, glob)}
				}
			}
		}
	}
	for _, glob := range rules.Allow {
		if !match(normalise(glob), whole) {
			continue
		}
		rule := fmt.Sprintf("commands.allow %q", glob)
		switch {
		case !compound(whole):
			return Decision{Allow, rule}
		case fallback.Action == Deny:
			return fallback // a rule that doesn't hold can't make it milder
		}
		return Decision{Ask, rule + " (not for a compound command)"}
	}
	return fallback
}
