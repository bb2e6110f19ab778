package runs

import (
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
	if len(w.Setup) == 0 || len(d.run.Launch) > 0 {
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
