package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// programs looks for what the agent needs, and for versions of it that won't do, before
// anything is started.
func (p *pump) programs(ctx context.Context, l *harness.Launch, env map[string]string) error {
	for i, prog := range l.Programs {
		var out tail
		exit, err := p.tool(ctx, p.sandbox, sandbox.Command{
			ID: fmt.Sprintf("which-%d-%s", i, p.run.ID), Dir: l.Dir, Env: env, Stdout: &out, Stderr: &out,
			Argv: []string{"/bin/sh", "-c", `command -v -- "$1" >/dev/null`, "sh", prog.Name}, Timeout: silence,
		})
		if err != nil {
			return fmt.Errorf("look for program %s: %w", prog.Name, err)
		}
		if exit.Ok() {
			if err := p.checkVersion(ctx, i, prog, l.Dir, env); err != nil {
				return err
			}
			continue
		}
		msg := fmt.Sprintf("the sandbox has no program %q on its PATH", prog.Name)
		if prog.Install != "" {
			msg += "; mend it: " + prog.Install
		}
		return &endError{harness.ReasonCLIMissing, msg}
	}
	return nil
}
