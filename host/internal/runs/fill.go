package runs

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// fill is what a new sandbox is filled with. In one in which the agent was started
// already nothing is to be filled that takes a secret.
func (e *Engine) fill(spec *config.Spec, set *secrets.Set, started bool) (sandboxes.Fill, error) {
	what, w := e.emptyFill(spec), spec.Workspace
	if started {
		what.Fetch.Cache, what.Fetch.Env = SourceCache(e.Home), e.Env
		return what, nil
	}
	fetch, err := e.fetch(w.Source, set)
	if err != nil {
		return what, err
	}
	what.Fetch = fetch
	if len(w.Setup) == 0 {
		return what, nil // no command gets the environment
	}
	env, err := workspaceEnv(set, w)
	if err != nil {
		return what, err
	}
	what.Env = env
	if redactor := set.Redactor(); redactor != nil {
		what.Clean = func() sandboxes.Cleaner { return redactor.Stream() }
	}
	return what, nil
}

// emptyFill is as much of it as holds no secret.
func (e *Engine) emptyFill(spec *config.Spec) sandboxes.Fill {
	what := sandboxes.Fill{Workspace: spec.Workspace}
	if e.Home != "" {
		what.Skip = []string{e.Home}
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Secrets)) {
		if file := spec.Secrets[name].File; file != "" {
			what.Secrets = append(what.Secrets, sandboxes.SecretFile{Secret: name, Path: file, Given: given(spec.Workspace, name)})
		}
	}
	return what
}

// given reports whether the agent's environment has a secret.
func given(w config.Workspace, secret string) bool {
	for _, value := range w.Env {
		if slices.Contains(value.Secrets(), secret) {
			return true
		}
	}
	return slices.Contains(w.Secrets, secret)
}

// SecretLeaks are the secrets' files that a new sandbox would get with its source.
func (e *Engine) SecretLeaks(ctx context.Context, spec *config.Spec) ([]sandboxes.Leak, error) {
	return e.emptyFill(spec).Leaks(ctx)
}

// fetch is what a repository is fetched with.
func (e *Engine) fetch(src config.Source, set *secrets.Set) (sandboxes.Fetch, error) {
	token, err := expander(set)(src.Token.Parts)
	if err != nil {
		return sandboxes.Fetch{}, fmt.Errorf("open %s: %w", src.URL, err)
	}
	return sandboxes.Fetch{
		Cache: SourceCache(e.Home), Env: e.Env, Token: token, Secret: strings.Join(src.Token.Secrets(), " and secret."),
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
