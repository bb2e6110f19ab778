package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// sweep ends what outlived the agent, and names it.
func (p *pump) sweep(ctx context.Context) error {
	if p.stopped {
		return p.killNow(ctx)
	}
	left := slices.DeleteFunc(p.leftovers(ctx), func(s string) bool { return s == "" })
	if len(left) > 0 {
		p.log.host(ctx, leftRunning(strings.Join(left, "; ")))
	}
	return p.killNow(ctx)
}

// leftovers lists what the agent left running: lines of pid and command.
func (p *pump) leftovers(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	var out tail
	_, err := p.tool(ctx, p.sandbox, sandbox.Command{
		ID: "leftovers-" + p.run.ID, Stdout: &out, Timeout: silence,
		Argv: []string{"/bin/sh", "-c", `PATH=/usr/bin:/bin:$PATH
grep -lsF "SANDLOT_PROC=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
	grep -qsF "SANDLOT_WORKSPACE=$2" "/proc/$pid/environ" || continue # of a run of the same name elsewhere
	command=$(tr '\000' ' ' <"/proc/$pid/cmdline" 2>/dev/null) && [ -n "$command" ] && echo "$pid $command"
done`, "sh", p.proc, p.sandbox.Info().Root},
	})
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func leftRunning(what string) agui.Event {
	return warning("left_running", "the agent left running and we ended: "+what)
}

// killNow ends the agent's tree, if the run is still ours.
func (p *pump) killNow(ctx context.Context) error {
	if err := p.mine(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	if err := p.sandbox.Kill(ctx, p.proc, killGrace); err != nil {
		return fmt.Errorf("kill the agent: %w", err)
	}
	return nil
}
