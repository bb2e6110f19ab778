package plans

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Finding is something that keeps a run from starting, or may not be meant.
type Finding struct {
	Message string `json:"message"`       // what is so, and where
	Fix     string `json:"fix,omitempty"` // what to do about it, one line; empty: nobody can tell
}

// String is the finding as one text.
func (f Finding) String() string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + "; " + f.Fix
}

func (m *maker) problem(fix, format string, args ...any) {
	m.plan.Problems = append(m.plan.Problems, Finding{fmt.Sprintf(format, args...), fix})
}

func (m *maker) warn(fix, format string, args ...any) {
	m.plan.Warnings = append(m.plan.Warnings, Finding{fmt.Sprintf(format, args...), fix})
}

// fault is an error as a problem; its hint, if it has one, is the fix. A plugin may
// have repeated a secret in either.
func (m *maker) fault(err error) {
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Hint != "" {
		text := strings.Replace(err.Error(), " ("+e.Hint+")", "", 1)
		m.problem(m.Engine.Mask.Text(e.Hint), "%s", m.Engine.Mask.Text(text))
		return
	}
	m.problem("", "%s", m.Engine.Mask.Error(err))
}
