package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// tools are the ids of commands of ours that were started in the sandbox and
// whose end we didn't see.
type tools map[string]bool

// tool runs a short command of ours in the sandbox. One that an earlier driver
// has left under the same id, its plugin dead, is ended first.
func (d *drive) tool(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Command) (sandbox.Exit, error) {
	if d.tools == nil {
		d.tools = tools{}
	}
	d.tools[cmd.ID] = true
	proc, err := sb.Start(ctx, cmd)
	if errors.Is(err, sandbox.Conflict) {
		if err = sb.Kill(ctx, cmd.ID, 0); err == nil {
			proc, err = sb.Start(ctx, cmd)
		}
	}
	if err != nil {
		return sandbox.Exit{}, err
	}
	exit, err := proc.Wait(ctx)
	if err == nil {
		delete(d.tools, cmd.ID)
	}
	return exit, err
}

// endStrays ends those commands of ours that a plugin which died had open: it
// can't do that itself any more.
func (d *drive) endStrays(ctx context.Context, sb sandbox.Sandbox) error {
	for id := range d.tools {
		if err := d.mine(ctx); err != nil {
			return err
		}
		if err := sb.Kill(ctx, id, killGrace); err != nil {
			return fmt.Errorf("end %s, which a plugin had open when it died: %w", id, err)
		}
		delete(d.tools, id)
	}
	return nil
}
