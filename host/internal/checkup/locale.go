package checkup

import (
	"context"
	"runtime"
	"strings"
)

// locale looks whether text in UTF-8, which agents print, can be shown.
func (m *Machine) locale(_ context.Context, l *list) {
	if runtime.GOOS == "windows" {
		return
	}
	value := m.envOr("LC_ALL", m.envOr("LC_CTYPE", m.envOr("LANG", "")))
	form := strings.ToLower(strings.ReplaceAll(value, "-", ""))
	switch {
	case value == "":
		l.add(Warning, "no locale is set; programs may take text for ASCII", "export LANG=C.UTF-8")
	case !strings.Contains(form, "utf8"):
		l.add(Warning, "the locale is "+value+", not one of UTF-8", "export LC_ALL=C.UTF-8")
	default:
		l.add(OK, "the locale is "+value, "")
	}
	if m.Terminal && m.envOr("TERM", "dumb") == "dumb" {
		l.add(Note, "TERM says that the terminal can't show colours", "export TERM=xterm-256color")
	}
}
