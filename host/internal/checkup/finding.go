package checkup

import (
	"context"
	"errors"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Level is how bad a finding is.
type Level string

// The levels. Only a problem is something wrong; a warning may turn into one, and a
// note is for who wonders.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Warning Level = "warning"
	Problem Level = "problem"
)

// Finding is one thing that was looked at.
type Finding struct {
	Check   string `json:"check"` // e.g. "store"
	Level   Level  `json:"level"`
	Message string `json:"message"`       // what is so, or what is wrong
	Fix     string `json:"fix,omitempty"` // one line that mends it: a command, or what to do
}

// list collects the findings of one check.
type list struct {
	check string
	all   []Finding
}

func (l *list) add(level Level, message, fix string) {
	l.all = append(l.all, Finding{l.check, level, message, fix})
}

// fault is an error as a finding; its hint, if it has one, is the fix.
func (l *list) fault(level Level, err error, fix string) {
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Hint != "" {
		l.add(level, e.Message, e.Hint)
		return
	}
	l.add(level, err.Error(), fix)
}

// Machine looks at all that is the same for every configuration. A check that hangs
// is given up with the context.
func (m *Machine) Check(ctx context.Context) []Finding {
	var all []Finding
	for _, c := range []struct {
		name string
		look func(context.Context, *list)
	}{
		{"state", m.state},
		{"store", m.store},
		{"leftovers", m.leftovers},
		{"plugins", m.plugins},
		{"processes", m.processes},
		{"temp", m.temp},
		{"environment", m.environment},
		{"programs", m.programs},
		{"locale", m.locale},
		{"clock", m.clock},
		{"network", m.network},
	} {
		l := &list{check: c.name}
		c.look(ctx, l)
		all = append(all, l.all...)
	}
	return all
}
