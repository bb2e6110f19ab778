package checkup

import (
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

// Machine is what is looked at.
type Machine struct {
	Home       string   // the state folder; it may not be there yet
	Executable string   // path of this program
	Environ    []string // the host's, as os.Environ
	Plugins    *plugins.Plugins
	Now        time.Time
	Terminal   bool // stdout is one
}

// env looks one variable up, as os.LookupEnv.
func (m *Machine) env(name string) (string, bool) {
	for i := len(m.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(m.Environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

func (m *Machine) envOr(name, otherwise string) string {
	if v, _ := m.env(name); v != "" {
		return v
	}
	return otherwise
}

// word is a text as one word of a shell.
func word(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
