package runs

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// fill is what a new sandbox is filled with.
func (d *drive) fill() (sandboxes.Fill, error) {
	w := d.record.Spec.Workspace
	what := sandboxes.Fill{Workspace: w}
	if d.Home != "" {
		what.Skip = []string{d.Home}
	}
	if len(d.run.Launch) > 0 {
		what.Fetch.Cache, what.Fetch.Env = SourceCache(d.Home), d.Env
		return what, nil // the agent was started in it: nothing is to be filled that takes a secret
	}
	fetch, err := d.fetch(w.Source)
	if err != nil {
		return what, err
	}
	what.Fetch = fetch
	if len(w.Setup) == 0 {
		return what, nil // no command gets the environment
	}
	env, err := workspaceEnv(d.secrets, w)
	if err != nil {
		return what, err
	}
	what.Env = env
	if redactor := d.secrets.Redactor(); redactor != nil {
		what.Clean = func() sandboxes.Cleaner { return redactor.Stream() }
	}
	return what, nil
}

// fetch is what a repository is fetched with.
func (d *drive) fetch(src config.Source) (sandboxes.Fetch, error) {
	token, err := expander(d.secrets)(src.Token.Parts)
	if err != nil {
		return sandboxes.Fetch{}, fmt.Errorf("open %s: %w", src.URL, err)
	}
	return sandboxes.Fetch{
		Cache: SourceCache(d.Home), Env: d.Env, Token: token, Secret: strings.Join(src.Token.Secrets(), " and secret."),
	}, nil
}

// SourceCache is the folder, below the host's state, of the copies that are kept of
// repositories.
func SourceCache(home string) string { return filepath.Join(home, "cache", "git") }

func outputEvent(o sandboxes.Output) agui.Event {
	e, err := agui.NewCustom("setup.output", map[string]any{"step": o.Step, "stream": o.Stream, "text": o.Text})
	if err != nil { // strings and a number always encode
		return warning("setup", o.Text)
	}
	return e
}

func phaseEvent(p sandboxes.Phase) agui.Event {
	e, err := agui.NewCustom("sandbox.phase", map[string]any{
		"phase": p.Name, "state": p.State, "ms": p.Took.Milliseconds(), "detail": p.Detail,
	})
	if err != nil { // strings and a number always encode
		return warning("phase", p.Name)
	}
	return e
}
