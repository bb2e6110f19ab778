package plans

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// places stand for the folders of a sandbox that may not be there.
const places = "/sandlot-plan/"

// seeAgent asks the harness how it would launch the agent, and looks for what
// that needs.
func (m *maker) seeAgent(ctx context.Context) error {
	spec, a := m.Spec.Harness, &m.plan.Agent
	a.Harness, a.Name, a.Model, a.AuthMode = spec.Type, spec.Name, spec.Model, spec.AuthMode
	d, err := m.Describe(ctx, plugins.Harness, spec.Type)
	var launch *harness.Launch
	if err == nil {
		m.harness, a.Version = d, d.Version
		launch, err = m.Engine.Preview(ctx, m.Spec, harness.Start{
			Workspace:    harness.Workspace{Root: places + "root", Home: places + "home", StateDir: places + "state"},
			Capabilities: m.capabilities(), Isolation: sandbox.Isolation(m.plan.Provider.Isolation),
		})
	}
	if err != nil {
		m.unasked("harness", err)
		return nil
	}
	a.Command = launch.Argv
	if launch.Stdin == harness.StdinDuplex && m.provider != nil && !m.capabilities().WritableStdin {
		m.problem("take another provider or harness", "harness %s talks to its agent through stdin, which provider %s doesn't support",
			spec.Type, m.Spec.Provider.Type)
	}
	for _, p := range launch.Programs {
		m.seeProgram(p, m.pathOf(launch))
	}
	m.seeAuth()
	if m.harness.Traits != nil {
		if text := runs.Unreached(m.Spec, *m.harness.Traits); text != "" {
			m.warn("take another harness, or remove the mcp blocks", "%s", text)
		}
	}
	return nil
}

// capabilities are those of the configured provider, else the most that it can do.
func (m *maker) capabilities() sandbox.Capabilities {
	switch {
	case m.provider != nil:
		return m.provider.Capabilities()
	case m.about.Capabilities != nil:
		return *m.about.Capabilities
	}
	return sandbox.Capabilities{}
}

// seeProgram looks for a program where the agent would: on this machine if
// nothing is between. Elsewhere a run looks for it in the sandbox.
func (m *maker) seeProgram(p harness.Program, path string) {
	found := Program{Name: p.Name, Install: p.Install}
	if m.plan.Provider.Isolation == string(sandbox.IsolationNone) {
		found.Path = lookUp(p.Name, path)
		// A relative one is looked for in the workspace, which setup may fill.
		found.Missing = found.Path == "" && (filepath.IsAbs(p.Name) || !strings.ContainsRune(p.Name, filepath.Separator))
	}
	m.plan.Agent.Programs = append(m.plan.Agent.Programs, found)
	switch {
	case !found.Missing:
	case len(m.Spec.Workspace.Setup) > 0:
		m.warn(p.Install, "there is no program %q on this machine, and unless setup installs it, the run will fail", p.Name)
	default:
		m.problem(p.Install, "there is no program %q on the agent's PATH", p.Name)
	}
}

// pathOf is the agent's PATH.
func (m *maker) pathOf(l *harness.Launch) string {
	if v, ok := l.Env["PATH"]; ok {
		return v
	}
	if v, ok := m.Spec.Workspace.Env["PATH"]; ok {
		if text, plain := v.Plain(); plain {
			return text
		}
	}
	v, _ := m.Engine.Env("PATH")
	return v
}

// lookUp finds a program; empty: it isn't there.
func lookUp(name, path string) string {
	candidates := []string{name}
	if !strings.ContainsRune(name, filepath.Separator) {
		candidates = nil
		for _, dir := range filepath.SplitList(path) {
			candidates = append(candidates, filepath.Join(dir, name), filepath.Join(dir, name+".exe"))
		}
	}
	for _, file := range candidates {
		if !filepath.IsAbs(file) {
			continue // it depends on where the agent works
		}
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || strings.HasSuffix(file, ".exe")) {
			return file
		}
	}
	return ""
}

// seeAuth warns where the agent isn't given what its way of signing in reads.
func (m *maker) seeAuth() {
	if m.harness.Traits == nil {
		return
	}
	w := m.Spec.Workspace
	for _, mode := range m.harness.Traits.AuthModes {
		if mode.Mode != m.Spec.Harness.AuthMode || len(mode.Variables) == 0 {
			continue
		}
		given := slices.ContainsFunc(mode.Variables, func(name string) bool {
			_, env := w.Env[name]
			_, inherited := m.Engine.Env(name)
			return env || slices.Contains(w.Secrets, name) || inherited && m.plan.Provider.Env.All
		})
		if !given {
			m.warn("put one of these into the workspace, as secrets = [secret."+mode.Variables[0]+"]",
				"with auth_mode %q the agent reads %s, and the workspace gives it none of these",
				mode.Mode, strings.Join(mode.Variables, " or "))
		}
	}
}
