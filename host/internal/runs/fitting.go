package runs

import (
	"cmp"
	"context"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Fitting finds the snapshot that a new sandbox of a thread, by its id, would be made
// of; empty: that of a new one. Nothing is changed.
func (e *Engine) Fitting(ctx context.Context, spec *config.Spec, thread string, can sandbox.Capabilities) (sandboxes.Fit, error) {
	want, err := wanted(spec, cmp.Or(thread, "new"), "new")
	if err != nil {
		return sandboxes.Fit{}, err
	}
	set, _, err := e.resolveNeeded(ctx, spec, spec.Workspace.Source.Token.Secrets())
	if err != nil {
		return sandboxes.Fit{}, err
	}
	want.Fill = e.emptyFill(spec)
	if fetch, err := e.fetch(spec.Workspace.Source, set); err == nil { // else the source is asked without its token, and says so
		want.Fill.Fetch = fetch
	} else {
		want.Fill.Fetch = sandboxes.Fetch{Cache: SourceCache(e.Home), Env: e.Env}
	}
	return sandboxes.Fitting(ctx, e.Store, can, want)
}
