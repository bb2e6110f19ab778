package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// awaitEnd waits until the agent's process is gone. known is false where
// nobody saw how it ended.
func (p *pump) awaitEnd(ctx context.Context) (exit sandbox.Exit, known bool, err error) {
	if p.process != nil {
		exit, err := p.process.Wait(ctx)
		if err == nil && exit.Reason != sandbox.ReasonUnknown {
			return exit, true, nil
		}
		if ctx.Err() != nil {
			return exit, false, ctx.Err()
		}
	}
	tick := time.NewTicker(alivePoll)
	defer tick.Stop()
	for {
		live, err := p.sandbox.Alive(ctx, p.proc)
		if err != nil {
			return sandbox.Exit{}, false, fmt.Errorf("ask whether the agent lives: %w", err)
		}
		if live == sandbox.AliveNo {
			return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, false, nil
		}
		select {
		case <-ctx.Done():
			return sandbox.Exit{}, false, ctx.Err()
		case <-tick.C:
		}
	}
}
