package runs

import (
	"context"
	"errors"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// keepLeast is the least time for which a sandbox is kept from being stopped: a shorter
// lifecycle.keep_alive would have its backend asked all the time.
const keepLeast = 30 * time.Second

// keepAlive tells the backend of a sandbox, now and again and again until stop is
// called, that a run is at work there: one that stops what seems idle would end a
// working agent. Each time is good for three.
func (d *drive) keepAlive(ctx context.Context, sb sandbox.Sandbox) (stop func()) {
	keeper, err := sandbox.As[sandbox.Keeper](sb)
	if err != nil {
		return func() {}
	}
	keep := d.record.Spec.Lifecycle.KeepAlive
	if keep == 0 { // of an earlier build
		keep = config.DefaultKeepAlive
	}
	keep = max(keep, keepLeast)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(keep / 3)
		defer tick.Stop()
		for {
			call, over := context.WithTimeout(ctx, keep/3)
			err := keeper.KeepAlive(call, keep)
			over()
			if err != nil && ctx.Err() == nil && !errors.Is(err, sandbox.Canceled) {
				d.Log.Warn("keep the sandbox alive", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { cancel(); <-done }
}
