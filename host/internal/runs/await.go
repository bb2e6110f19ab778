package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// awaitEnd waits until the agent's process is gone. known is false where
// nobody saw how it ended.
func (p *pump) awaitEnd(ctx context.Context) (exit sandbox.Exit, known bool, err error) {
	if p.process != nil {
		exit, err := p.process.Wait(ctx)
		if err == nil && p.taken(exit) {
			// The start of an earlier attempt, which we had given up for lost, came
			// first: that process is the agent's.
			if p.stdin != nil {
				return exit, false, p.lostAgent()
			}
			return p.awaitGone(ctx)
		}
		if err == nil && exit.Reason != sandbox.ReasonUnknown {
			return exit, true, nil
		}
		if ctx.Err() != nil {
			return exit, false, ctx.Err()
		}
	}
	return p.awaitGone(ctx)
}

// taken reports whether a wrapper ended because another one has the run.
func (p *pump) taken(exit sandbox.Exit) bool {
	return exit.Reason == sandbox.ReasonExited && exit.Code == journal.Taken &&
		strings.Contains(p.wrapperErr.String(), journal.TakenWords)
}

// awaitGone waits for the end of an agent that isn't our child.
func (p *pump) awaitGone(ctx context.Context) (exit sandbox.Exit, known bool, err error) {
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
