package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// Provider starts the provider plugin of a spec, with its secrets resolved. It
// is for work outside of a run, such as removing a sandbox.
func (e *Engine) Provider(ctx context.Context, spec *config.Spec) (Provider, error) {
	set, _, err := e.resolveSome(ctx, spec) // the agent's secrets aren't needed
	if err != nil {
		return nil, err
	}
	cfg, err := spec.Provider.Reveal(expander(set))
	if err != nil {
		return nil, err
	}
	p, err := e.Plugins.Provider(ctx, spec.Provider.Type, spec.Provider.Name, cfg)
	if err != nil {
		return nil, fmt.Errorf("start provider %s: %w", spec.Provider.Type, err)
	}
	return p, nil
}
