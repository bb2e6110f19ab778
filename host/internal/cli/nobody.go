package cli

import (
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
)

// sayNobodyAsked warns of a policy that asks where nobody is there to be asked:
// such a run would stand still until the request is denied.
func (a *app) sayNobodyAsked(spec *config.Spec, detached bool) {
	about := asksAbout(spec.Policy)
	if about == "" || !detached && !a.flags.json && isTerminal(a.world.Stdin) && isTerminal(a.world.Stderr) {
		return
	}
	a.note("the policy asks about %s, and nobody is asked here: a request waits for sandlot approve or sandlot deny, and is denied after %s; "+
		"--approve yes or --approve no answers at once, --approve ask leaves out this warning", about, spec.Policy.ApprovalTimeout)
}

// asksAbout says in words what a policy asks about by a rule; empty: nothing.
func asksAbout(pol config.Policy) string {
	var all []string
	if n := len(pol.Commands.Ask); n > 0 {
		all = append(all, "commands like "+oneLine(strings.Join(pol.Commands.Ask, ", "), 80))
	}
	if pol.FileWrite == string(policy.Ask) {
		all = append(all, "files that are written")
	}
	if pol.Default == string(policy.Ask) {
		all = append(all, "what no rule names")
	}
	return strings.Join(all, " and ")
}
