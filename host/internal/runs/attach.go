package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Launcher starts a driver process for a run and returns once it runs.
type Launcher func(ctx context.Context, run string) (Driver, error)

// Driver is a driver process that we started.
type Driver interface {
	Done() <-chan struct{} // closed when it has ended
	Err() error            // after Done: why it gave up; nil if it did its work, or was killed
}

const (
	watchEvery  = 500 * time.Millisecond
	mostDrivers = 3 // started by one reader for one run
	tailEvery   = 20 * time.Millisecond
)

// Attach reads a run's events after seq `after`, in order, as they come, until
// the terminal one. Meanwhile it makes sure that the run is driven: where the
// driver is gone, another one is started.
func Attach(ctx context.Context, st *store.Store, id string, after int64, launch Launcher, each func(store.Event) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := Watch(ctx, st, id, launch); err != nil {
			cancel(err)
		}
	}()
	defer func() { cancel(nil); <-done }()
	for e, err := range st.Tail(ctx, id, after, tailEvery) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return fmt.Errorf("read events of run %s: %w", id, err)
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// Watch starts a driver whenever the run has none, until it has ended or ctx
// does. It gives up when a driver did, or when drivers keep dying.
func Watch(ctx context.Context, st *store.Store, id string, launch Launcher) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var (
		started int
		driver  Driver
		done    <-chan struct{}
	)
	for {
		run, err := st.Run(ctx, id)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("read run %s: %w", id, err)
		case run.Status.Terminal():
			return nil
		}
		if driver == nil && !Driven(run) {
			if started == mostDrivers {
				return fmt.Errorf("drive run %s: %d drivers ended without an end of the run", id, started)
			}
			started++
			if driver, err = launch(ctx, id); err != nil {
				return fmt.Errorf("start a driver for run %s: %w", id, err)
			}
			done = driver.Done()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-done:
			err := driver.Err()
			driver, done = nil, nil
			if run, rerr := st.Run(ctx, id); err != nil && rerr == nil && !run.Status.Terminal() && !Driven(run) {
				return fmt.Errorf("drive run %s: %w", id, err)
			}
		}
	}
}

// Driven reports whether a run has a driver that lives, as far as we know.
func Driven(r store.Run) bool {
	return r.Epoch > 0 && time.Now().Before(r.LeaseUntil) && !Gone(r.Driver)
}

// Cancel asks for the end of a run and waits for it, starting a driver where
// the run has none. It returns the run as it ended.
func Cancel(ctx context.Context, st *store.Store, id string, launch Launcher) (store.Run, error) {
	if _, err := st.RequestCancel(ctx, id); err != nil {
		return store.Run{}, fmt.Errorf("request cancel of run %s: %w", id, err)
	}
	err := Attach(ctx, st, id, 0, launch, func(store.Event) error { return nil })
	if err != nil {
		return store.Run{}, err
	}
	run, err := st.Run(ctx, id)
	if err == nil && !run.Status.Terminal() {
		err = errors.New("its events have ended, but it hasn't")
	}
	if err != nil {
		return store.Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return run, nil
}
