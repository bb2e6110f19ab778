package checkup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plans"
)

// shownMistakes is how many of a configuration's mistakes are findings; validate
// shows all.
const shownMistakes = 5

// Configuration is what is wrong with a configuration as such. Where is as -f has
// it.
func Configuration(diags hcl.Diagnostics, where string) []Finding {
	l := &list{check: "configuration"}
	fix := "sandlot validate"
	if where != "" {
		fix += " -f " + word(where)
	}
	more := 0
	for _, d := range diags {
		level := Problem
		if d.Severity == hcl.DiagWarning {
			level = Warning
		}
		if len(l.all) == shownMistakes {
			more++
			continue
		}
		text := d.Summary
		if d.Detail != "" {
			text += ": " + d.Detail
		}
		if d.Subject != nil {
			text = fmt.Sprintf("%s:%d:%d: %s", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column, text)
		}
		l.add(level, text, fix)
	}
	if more > 0 {
		l.add(Problem, fmt.Sprintf("and %d more", more), fix)
	}
	if len(l.all) == 0 {
		l.add(OK, "the configuration is valid", "")
	}
	return l.all
}

// Unused are the variables of the environment that are meant for the configuration
// and that it doesn't declare.
func (m *Machine) Unused(declared []string) []Finding {
	l := &list{check: "variables"}
	unknown := map[string]bool{}
	for _, entry := range m.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if v, ok := strings.CutPrefix(name, "SANDLOT_VAR_"); ok && !slices.Contains(declared, v) {
			unknown[v] = true
		}
	}
	for _, v := range slices.Sorted(maps.Keys(unknown)) {
		text := fmt.Sprintf("SANDLOT_VAR_%s is set, and there is no variable %q", v, v)
		fix := "unset SANDLOT_VAR_" + v
		if like := config.Closest(v, declared); like != "" {
			text += fmt.Sprintf("; did you mean %q?", like)
		}
		l.add(Warning, text, fix)
	}
	return l.all
}

// Plan is what keeps a sandbox block from being run.
func Plan(p *plans.Plan) []Finding {
	l := &list{check: "sandbox " + p.Block}
	again := "sandlot plan --sandbox " + word(p.Block)
	for _, f := range p.Problems {
		l.add(Problem, f.Message, cmp.Or(f.Fix, again))
	}
	for _, f := range p.Warnings {
		l.add(Warning, f.Message, cmp.Or(f.Fix, again))
	}
	for _, program := range p.Agent.Programs {
		if program.Path != "" {
			l.add(OK, fmt.Sprintf("%s is %s", program.Name, program.Path), "")
		}
	}
	if len(p.Problems) == 0 {
		l.add(OK, fmt.Sprintf("provider %s %q answers; a run could start", p.Provider.Type, p.Provider.Name), "")
	}
	return l.all
}
