package checkup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// environment looks at HOME and PATH.
func (m *Machine) environment(_ context.Context, l *list) {
	home := "HOME"
	if runtime.GOOS == "windows" {
		home = "USERPROFILE"
	}
	dir := m.envOr(home, "")
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		l.add(Problem, home+" isn't set; agents keep their logins and settings there", `export HOME="$(getent passwd "$(id -u)" | cut -d: -f6)"`)
	case err != nil || !info.IsDir():
		l.add(Problem, fmt.Sprintf("%s is %s, which is no folder", home, dir), "mkdir -p "+word(dir))
	default:
		l.add(OK, fmt.Sprintf("%s is %s", home, dir), "")
	}
	m.path(l)
}

// path looks for folders on PATH from which a program could be slipped in.
func (m *Machine) path(l *list) {
	value, _ := m.env("PATH")
	if value == "" {
		l.add(Problem, "PATH isn't set: no agent and no git will be found", "export PATH=/usr/local/bin:/usr/bin:/bin")
		return
	}
	var good, bad []string
	for _, dir := range filepath.SplitList(value) {
		if filepath.IsAbs(dir) {
			good = append(good, dir)
			continue
		}
		if dir == "" {
			dir = `""`
		}
		bad = append(bad, dir)
	}
	if len(bad) > 0 {
		l.add(Warning, fmt.Sprintf("PATH has %s, so what is started depends on where you stand", strings.Join(bad, ", ")),
			"export PATH="+word(strings.Join(good, string(filepath.ListSeparator))))
	}
}
