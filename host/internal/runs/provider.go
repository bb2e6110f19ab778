package runs

import (
	"context"
	"encoding/json"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/recovery"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Provider starts the provider plugin of a spec, with its secrets resolved, and
// starts it anew where it dies. It is for work outside of a run, such as a command
// in a sandbox or removing one.
func (e *Engine) Provider(ctx context.Context, spec *config.Spec) (*recovery.Provider, error) {
	b, err := e.reveal(ctx, spec, spec.Provider)
	if err != nil {
		return nil, err
	}
	p, err := recovery.New(ctx, recovery.Options{
		Killed:   plugins.Killed,
		Restarts: e.restarts,
		Launch: func(ctx context.Context) (recovery.Running, error) {
			return e.Plugins.Provider(ctx, b)
		},
	})
	return p, located(spec.Provider, err)
}

// reveal is a plugin's block with its secrets, which alone must be there: those
// of the agent aren't needed.
func (e *Engine) reveal(ctx context.Context, spec *config.Spec, plugin config.Plugin) (Block, error) {
	var needed []string
	if _, err := plugin.Reveal(func(parts []config.Part) (string, error) {
		needed = append(needed, config.Value{Parts: parts}.Secrets()...)
		return "", nil
	}); err != nil {
		return Block{}, err
	}
	set, missing, err := e.resolveNeeded(ctx, spec, needed)
	if err != nil {
		return Block{}, err
	}
	e.Mask.know(set.Redactor())
	expand := expander(set)
	cfg, err := plugin.Reveal(func(parts []config.Part) (string, error) {
		for _, p := range parts {
			if problem := problemOf(missing, p.Secret); problem != nil {
				return "", problem
			}
		}
		return expand(parts)
	})
	return blockOf(plugin, cfg, set), err
}

// blockOf is what a plugin is started with.
func blockOf(p config.Plugin, cfg json.RawMessage, set *secrets.Set) Block {
	return Block{Type: p.Type, Name: p.Name, At: p.At(""), Config: cfg, Scrub: set.Redactor().Piece}
}

func (e *Engine) restarts(why error) {
	if e.Restarts != nil {
		e.Restarts(why)
		return
	}
	e.Log.Warn("plugin is started anew", "error", why)
}

// ListSandboxes asks the provider of a spec for all that it has of this store's.
// The plugin is ended before it returns, also where it hangs.
func (e *Engine) ListSandboxes(ctx context.Context, spec *config.Spec) ([]sandbox.Summary, error) {
	p, err := e.Provider(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.List(ctx)
}
