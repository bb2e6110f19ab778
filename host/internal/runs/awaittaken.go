package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// takenPatience is how long a driver that was just started may take to find out
// whether the agent that asked is still there.
const takenPatience = aside + 5*time.Second

// AwaitTaken waits until the driver of a run takes an answer that was given while
// the run had none. The error of an answer that reaches nobody, since the agent was
// lost with its driver, says so; it counts all the same for what its scope names.
func AwaitTaken(ctx context.Context, st *store.Store, request store.Approval) error {
	ctx, cancel := context.WithTimeout(ctx, takenPatience)
	defer cancel()
	tick := time.NewTicker(tailEvery)
	defer tick.Stop()
	for {
		now, err := st.Approval(ctx, request.Run, request.ID)
		var run store.Run
		if err == nil {
			run, err = st.Run(ctx, request.Run)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the answer is kept, but no driver has taken it within %s; see what becomes of it with: sandlot attach %s", takenPatience, request.Run)
		case err != nil:
			return fmt.Errorf("read request %s: %w", request.ID, err)
		case !now.Closed.IsZero():
			return nil
		case run.Status.Terminal():
			return fmt.Errorf("the answer reached nobody: run %s has ended meanwhile, as %s: %s", run.ID, nonEmpty(run.Reason, string(run.Status)), run.Message)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
