package cli

import (
	"context"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
)

// visit opens the sandbox that a person means, for work outside of a run. Call
// done in the end.
func (a *app) visit(ctx context.Context, ref, what string) (v *runs.Visit, done func(), err error) {
	st, _, err := a.openStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			st.Close()
		}
	}()
	row, err := findSandbox(ctx, st, ref)
	if err != nil {
		return nil, nil, err
	}
	engine, err := a.stderrEngine(st)
	if err != nil {
		return nil, nil, err
	}
	if v, err = engine.Visit(ctx, row, what, a.slowPhases()); err != nil {
		return nil, nil, err
	}
	return v, func() { v.Close(ctx); st.Close() }, nil
}

// slowPhases shows what takes long while a sandbox is opened. That it is opened, and
// how it was found, isn't worth a line.
func (a *app) slowPhases() func(sandboxes.Phase) {
	began := time.Now()
	return func(p sandboxes.Phase) {
		if p.State == "progress" && time.Since(began) > patience {
			a.note("%s: %s", p.Name, p.Detail)
		}
	}
}

// patience is how long nobody wonders what takes so long.
const patience = time.Second
