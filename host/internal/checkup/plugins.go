package checkup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// plugins looks at each file that has the name of a plugin.
func (m *Machine) plugins(ctx context.Context, l *list) {
	for _, dir := range filepath.SplitList(m.envOr("SANDLOT_PLUGIN_DIR", "")) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			l.add(Warning, fmt.Sprintf("SANDLOT_PLUGIN_DIR names %s, which is no folder", dir), "mkdir -p "+word(dir))
		}
	}
	used := map[plugins.Kind][]string{}
	for _, i := range m.Plugins.Inspect(ctx, m.Environ) {
		name := fmt.Sprintf("%s %s", i.Kind, i.Type)
		switch {
		case i.Refused != "":
			l.add(Problem, fmt.Sprintf("%s isn't used: %s: %s", name, i.Path, i.Refused), i.Fix)
		case i.Problem != "":
			l.add(Problem, fmt.Sprintf("%s isn't used: %s", name, i.Problem), "mv "+word(i.Path)+" "+word(i.Path+".broken"))
		case i.Behind != "":
			l.add(Note, fmt.Sprintf("%s: %s is hidden by %s", name, i.Path, i.Behind), "")
		default:
			used[i.Kind] = append(used[i.Kind], strings.TrimSpace(i.Type+" "+i.Version))
		}
	}
	kinds := map[plugins.Kind]string{plugins.Provider: "providers", plugins.Harness: "harnesses"}
	for _, kind := range []plugins.Kind{plugins.Provider, plugins.Harness} {
		if len(used[kind]) > 0 {
			l.add(OK, fmt.Sprintf("%s: %s", kinds[kind], strings.Join(used[kind], ", ")), "")
			continue
		}
		l.add(Problem, fmt.Sprintf("there is no %s in %s", kind, strings.Join(m.Plugins.Folders(), ", ")),
			"export SANDLOT_PLUGIN_DIR to the folder that has sandlot-"+string(kind)+"-TYPE")
	}
}

// processes looks by what means processes of this machine's sandboxes are ended.
func (m *Machine) processes(ctx context.Context, l *list) {
	d, err := m.Plugins.Describe(ctx, plugins.Provider, "localprocess", m.Environ)
	if err != nil {
		return // not installed, or told of
	}
	switch d.KillScope {
	case sandbox.KillCgroup:
		l.add(OK, "localprocess ends process trees by cgroup: nothing gets away", "")
	case sandbox.KillMark:
		l.add(Note, "localprocess ends process trees by a mark in their environment: what clears that and forks twice gets away",
			"systemd-run --user --scope -p Delegate=yes sandlot run ... (Linux 5.14 or newer)")
	}
}
