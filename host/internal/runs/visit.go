package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/recovery"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Visit is a known sandbox, opened for work outside of a run: a command, a copy.
// It needs no configuration, since the store has what the sandbox was made with;
// it may be made while a run is at work there. While it lasts, the sandbox counts
// as used, and isn't destroyed but by the run to which it belongs. Nothing of a
// visit shortens how long the sandbox lives.
type Visit struct {
	engine   *Engine
	row      store.SandboxRow
	spec     *config.Spec
	use      *sandboxes.Use
	provider *recovery.Provider
	sandbox  sandbox.Sandbox
}

// Visit opens the sandbox of a row: it starts the provider plugin with the
// configuration that the sandbox was made with, anew where it dies, and resumes
// the sandbox. What
// names the work in messages to others, e.g. "sandlot exec". A secret that the
// provider needs and that can't be had is named with its source.
func (e *Engine) Visit(ctx context.Context, row store.SandboxRow, what string, tell func(sandboxes.Phase)) (*Visit, error) {
	v := &Visit{engine: e, row: row, spec: &config.Spec{}}
	if err := json.Unmarshal(row.Spec, v.spec); err != nil {
		return nil, fmt.Errorf("read spec of sandbox %s: %w", row.ID, err)
	}
	use, err := sandboxes.Begin(ctx, e.Store, row, what, Claimant())
	if err != nil {
		return nil, err
	}
	v.use = use
	if err := v.open(ctx, tell); err != nil {
		v.Close(ctx)
		return nil, err
	}
	return v, nil
}

func (v *Visit) open(ctx context.Context, tell func(sandboxes.Phase)) (err error) {
	if v.provider, err = v.engine.Provider(ctx, v.spec); err != nil {
		return err
	}
	v.sandbox, err = sandboxes.Resume(ctx, v.provider, v.row.ID, tell)
	if errors.Is(err, sandbox.Gone) {
		return fmt.Errorf("%w; forget it with: sandlot destroy %s", err, v.row.ID)
	}
	return err
}

// Sandbox is the one that is visited.
func (v *Visit) Sandbox() sandbox.Sandbox { return v.sandbox }

// Spec is what the sandbox was made with.
func (v *Visit) Spec() *config.Spec { return v.spec }

// Whole does work that can be begun anew, and does so where the plugin died under
// it.
func (v *Visit) Whole(ctx context.Context, work func(ctx context.Context) error) error {
	return v.provider.Whole(ctx, work)
}

// Close ends the visit. Commands that still run are ended by the plugin.
func (v *Visit) Close(ctx context.Context) {
	if v.provider != nil {
		_ = v.provider.Close() // what it did is done
	}
	v.use.End(ctx)
}

// Env is the environment of a command in the sandbox, over the provider's own:
// what the workspace sets, its secrets, SANDLOT_WORKSPACE, and over all of them
// what is given. A secret that can't be had is named with its source, unless the
// variable that it is for is given.
func (v *Visit) Env(ctx context.Context, over map[string]string) (map[string]string, error) {
	w := without(v.spec.Workspace, over)
	needed := secretsOf(w)
	set, missing, err := v.engine.resolveNeeded(ctx, v.spec, needed)
	if err != nil {
		return nil, err
	}
	for _, name := range needed {
		if problem := problemOf(missing, name); problem != nil {
			return nil, fmt.Errorf("environment of sandbox %s: %w", v.row.ID, problem)
		}
	}
	env, err := workspaceEnv(set, w)
	if err != nil {
		return nil, fmt.Errorf("environment of sandbox %s: %w", v.row.ID, err)
	}
	env["SANDLOT_WORKSPACE"] = v.sandbox.Info().Root
	for name, value := range over {
		env[name] = value
	}
	return env, nil
}

// without is a workspace whose environment lacks what is given otherwise.
func without(w config.Workspace, given map[string]string) config.Workspace {
	out := config.Workspace{Env: map[string]config.Value{}}
	for name, value := range w.Env {
		if _, ok := given[name]; !ok {
			out.Env[name] = value
		}
	}
	for _, name := range w.Secrets {
		if _, ok := given[name]; !ok {
			out.Secrets = append(out.Secrets, name)
		}
	}
	return out
}

// secretsOf are the secrets that a workspace's environment is made of.
func secretsOf(w config.Workspace) []string {
	names := append([]string(nil), w.Secrets...)
	for _, value := range w.Env {
		for _, part := range value.Parts {
			if part.Secret != "" {
				names = append(names, part.Secret)
			}
		}
	}
	return names
}
