package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// follow says how a run is followed.
type follow struct {
	launch       runs.Launcher
	driver       runs.Driver // runs already; nil: the first one is launched when needed
	since        int64
	mine         bool   // we started it: Ctrl-C cancels it
	onDisconnect string // "cancel": a closed terminal does too
	approve      string // "ask": requests are put to the person at the terminal
}

var (
	errLeft   = errors.New("left")   // the run goes on without us
	errForced = errors.New("forced") // the second Ctrl-C
)

// follow shows a run's events until its end and returns its exit code.
func (a *app) follow(ctx context.Context, st *store.Store, run store.Run, f follow) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	var driver lastDriver
	driver.set(f.driver) // it may claim the run before anybody looks whether it has a driver
	next := started(f.driver, f.launch)
	launch := func(ctx context.Context, id string) (runs.Driver, error) {
		d, err := next(ctx, id)
		driver.set(d)
		return d, err
	}
	var canceling atomic.Bool
	stop := a.signals(ctx, st, run, f, &canceling, leave)
	defer stop()

	show := a.renderer(run)
	switch {
	case f.approve != string(runs.ApproveAsk) || a.flags.json:
	case isTerminal(a.world.Stdin) && isTerminal(a.world.Stderr):
		show = a.asking(ctx, st, run.ID, &canceling, show)
	default:
		show = a.hinting(ctx, st, run.ID, show)
	}
	err := runs.Attach(ctx, st, run.ID, f.since, launch, show)
	switch {
	case errors.Is(err, errLeft):
		fmt.Fprintf(a.world.Stderr, "\nrun %s goes on; watch it with: sandlot attach %s\n", run.ID, run.ID)
		return nil
	case errors.Is(err, errForced):
		fmt.Fprintf(a.world.Stderr, "\nrun %s is being canceled; see how it ends with: sandlot attach %s\n", run.ID, run.ID)
		return said(exitCanceled)
	case err != nil:
		if now, rerr := st.Run(ctx, run.ID); rerr == nil && runs.Driven(now) {
			return fmt.Errorf("%w; run %s goes on; watch it with: sandlot attach %s", err, run.ID, run.ID)
		}
		return err
	}
	if run, err = st.Run(ctx, run.ID); err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	if err := driver.await(ctx); err != nil { // it may still have a sandbox to remove
		return err
	}
	if err := a.tidy(ctx, st, run, launch); err != nil {
		return err
	}
	if code := codeOfRun(run); code != exitOK {
		return said(code)
	}
	return nil
}

// signals lets Ctrl-C cancel a run of ours, and leaves any other run going. It
// returns what undoes that.
func (a *app) signals(ctx context.Context, st *store.Store, run store.Run, f follow, canceling *atomic.Bool, leave context.CancelCauseFunc) func() {
	got := make(chan os.Signal, 4)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-got:
				cancels := f.mine && (sig == os.Interrupt || f.onDisconnect == "cancel")
				switch {
				case !cancels && !canceling.Load():
					leave(errLeft)
				case canceling.Load():
					leave(errForced)
				default:
					canceling.Store(true)
					fmt.Fprintln(a.world.Stderr, "\ncanceling; press Ctrl-C again to stop waiting")
					if _, err := st.RequestCancel(ctx, run.ID); err != nil {
						leave(fmt.Errorf("request cancel of run %s: %w", run.ID, err))
					}
				}
			}
		}
	}()
	return func() { signal.Stop(got); close(done) }
}

// tidy removes what the driver of an ended run couldn't any more.
func (a *app) tidy(ctx context.Context, st *store.Store, run store.Run, launch runs.Launcher) error {
	untidy, err := runs.Untidy(ctx, st, run)
	if err != nil || !untidy {
		return err
	}
	var driver lastDriver
	d, err := launch(ctx, run.ID)
	if err != nil {
		return fmt.Errorf("start a driver for run %s: %w", run.ID, err)
	}
	driver.set(d)
	return driver.await(ctx)
}

// lastDriver is the driver that we started last, if any.
type lastDriver struct {
	mu     sync.Mutex
	driver runs.Driver
}

func (l *lastDriver) set(d runs.Driver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.driver = d
}

// await waits until the driver has cleaned up behind the run.
func (l *lastDriver) await(ctx context.Context) error {
	l.mu.Lock()
	d := l.driver
	l.mu.Unlock()
	if d == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, runs.ArchiveTimeout+sandboxes.DestroyTimeout+10*time.Second)
	defer cancel()
	select {
	case <-d.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the driver to clean up: %w", ctx.Err())
	}
}
