package runs

import (
	"context"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// update changes the run's row, waiting while the store can't be written.
func (d *drive) update(ctx context.Context, u store.RunUpdate) error {
	return d.log.retry(ctx, func() error { return d.Store.UpdateRun(ctx, d.id, d.epoch, u) })
}

// lookUp reads from the store, waiting while it can't be read.
func lookUp[T any](ctx context.Context, l *log, read func() (T, error)) (T, error) {
	var got T
	err := l.retry(ctx, func() (err error) {
		got, err = read()
		return err
	})
	return got, err
}

const (
	// aside is how long a driver whose lease is over is watched if its process
	// lives: one that renews still does so within this time.
	aside     = leaseRenew + 2*time.Second
	asidePoll = 200 * time.Millisecond
)

// claim takes the run. A driver whose lease is over and whose process lives on
// this machine may just have slept with the whole machine, its clocks standing
// still while the calendar went on: it is given the time to renew.
func (e *Engine) claim(ctx context.Context, id string) (int64, error) {
	run, err := e.Store.Run(ctx, id)
	if err != nil {
		return 0, err
	}
	asleep := func(r store.Run) bool {
		return r.Epoch > 0 && r.Epoch == run.Epoch && !r.Status.Terminal() && visible(r.Driver) &&
			time.Now().After(r.LeaseUntil) && !Gone(r.Driver)
	}
	over := time.NewTimer(aside)
	defer over.Stop()
	tick := time.NewTicker(asidePoll)
	defer tick.Stop()
	for waiting := asleep(run); waiting; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-over.C:
			waiting = false
		case <-tick.C:
			now, err := e.Store.Run(ctx, id)
			if err != nil {
				return 0, err
			}
			waiting = asleep(now)
		}
	}
	return e.Store.Claim(ctx, id, Self(), leaseTTL, Gone)
}
