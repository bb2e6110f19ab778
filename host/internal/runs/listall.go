package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ListAll is [Engine.ListSandboxes] that also adds to l what snapshots the provider has.
func (e *Engine) ListAll(l *sandboxes.Listed) sandboxes.Lister {
	return func(ctx context.Context, spec *config.Spec) ([]sandbox.Summary, error) {
		p, err := e.Provider(ctx, spec)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		all, err := p.List(ctx)
		if err != nil {
			return nil, err
		}
		var snapshots []sandbox.Snapshot
		if keeper, err := sandbox.AsProvider[sandbox.Snapshotter](p); err == nil {
			if snapshots, err = keeper.Snapshots(ctx); err != nil {
				return nil, fmt.Errorf("list snapshots: %w", err)
			}
		}
		l.Add(spec, snapshots)
		return all, nil
	}
}
