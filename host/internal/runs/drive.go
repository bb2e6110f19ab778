package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

var (
	errCanceled = errors.New("the run was canceled")
	errFenced   = errors.New("another driver has taken the run")
)

// restarts are the pauses before a run is attempted again after a plugin died.
var restarts = []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second}

// drive is one driver's work on one run.
type drive struct {
	*Engine
	run      store.Run
	record   *Record
	epoch    int64
	secrets  *secrets.Set
	log      *log
	canceled context.Context // ends when somebody asked for it
	lost     error           // what ended the attempt before this one; nil for the first
}

// Drive claims a run and drives it to its end. It returns nil once a terminal
// event is written, whatever the run's status; store.ErrTerminal or a
// *store.HeldError when there is nothing to drive.
func (e *Engine) Drive(ctx context.Context, id string) error {
	epoch, err := e.Store.Claim(ctx, id, Self(), leaseTTL, Gone)
	if err != nil {
		return fmt.Errorf("claim run %s: %w", id, err)
	}
	run, err := e.Store.Run(ctx, id)
	if err != nil {
		return fmt.Errorf("read run %s: %w", id, err)
	}
	d := &drive{Engine: e, run: run, epoch: epoch}
	d.Log = e.Log.With("run", id, "epoch", epoch)
	d.log = newLog(e.Store, d.Log, run, epoch)

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go d.keepLease(ctx, stop)
	canceled, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.canceled = canceled
	go d.watchCancel(ctx, cancel)

	err = d.toEnd(ctx)
	if ctx.Err() != nil { // told to stop: whoever comes next needn't wait for the lease
		free, done := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer done()
		_ = d.Store.Release(free, id, epoch)
	}
	if cause := context.Cause(ctx); errors.Is(cause, errFenced) {
		return cause
	}
	return err
}

// toEnd attempts the run until a terminal event is written.
func (d *drive) toEnd(ctx context.Context) error {
	if err := d.prepare(ctx); err != nil {
		return d.fail(ctx, err)
	}
	for i := 0; ; i++ {
		err := d.attempt(ctx)
		if err == nil || errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrTerminal) {
			return err
		}
		if ctx.Err() != nil { // this process is told to stop: the run goes on without it
			return context.Cause(ctx)
		}
		d.Log.Warn("attempt ended", "error", err)
		if !errors.Is(err, errPluginLost) || i == len(restarts) || d.canceled.Err() != nil && i > 0 {
			if errors.Is(err, errPluginLost) {
				err = errors.Join(err, d.abandon(ctx))
			}
			return d.fail(ctx, err)
		}
		d.lost = err
		d.log.host(ctx, warning("plugin_restarted", err.Error()))
		select {
		case <-ctx.Done():
		case <-time.After(restarts[i]):
		}
	}
}

// prepare reads the record and resolves the secrets.
func (d *drive) prepare(ctx context.Context) error {
	record, err := decodeRecord(d.run.Spec)
	if err != nil {
		return err
	}
	d.record = record
	d.secrets, err = d.resolve(ctx, record.Spec)
	if err != nil {
		return &endError{reason: harness.ReasonBootstrapFailed, message: err.Error()}
	}
	d.log.redact = d.secrets.Redactor().Redact
	return nil
}

// keepLease renews the claim. A claim that is lost stops the driver at once;
// the store's fence makes sure that it couldn't have written anything.
func (d *drive) keepLease(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(leaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := d.Store.Renew(ctx, d.run.ID, d.epoch, leaseTTL)
			if errors.Is(err, store.ErrFenced) {
				stop(errFenced)
				return
			}
			if err != nil && !errors.Is(err, store.ErrTerminal) && ctx.Err() == nil {
				d.Log.Warn("renew lease", "error", err)
			}
		}
	}
}

func (d *drive) watchCancel(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(cancelPoll)
	defer tick.Stop()
	for {
		yes, err := d.Store.CancelRequested(ctx, d.run.ID)
		if err == nil && yes {
			cancel(errCanceled)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// fail ends the run because of an error of ours or of the world.
func (d *drive) fail(ctx context.Context, err error) error {
	return d.end(ctx, outcomeOf(err, d.canceled.Err() != nil))
}

// abandon ends the agent of a run whose plugins keep dying.
func (d *drive) abandon(ctx context.Context) error {
	row, err := d.Store.Sandbox(ctx, d.run.Sandbox)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == "" {
		return nil // none was made
	}
	if err != nil {
		return fmt.Errorf("look up sandbox: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	prov, err := d.Provider(ctx, d.record.Spec)
	if err == nil {
		defer prov.Close()
		var sb sandbox.Sandbox
		if sb, err = prov.Resume(ctx, sandbox.ResumeRequest{ID: row.ID}); err == nil {
			err = sb.Kill(ctx, agentID(d.run.ID), killGrace)
		}
	}
	if err != nil {
		return fmt.Errorf("the agent may still run in sandbox %s, since it couldn't be ended: %w", row.ID, err)
	}
	return d.discard(ctx, prov, false)
}

// agentID is the process id of a run's agent in its sandbox.
func agentID(run string) string { return "agent-" + run }

// end writes the terminal event.
func (d *drive) end(ctx context.Context, o store.Outcome) error {
	if err := d.log.finish(ctx, o); err != nil {
		return fmt.Errorf("write the end of run %s: %w", d.run.ID, err)
	}
	return nil
}

// endError ends a run as failed, for a reason.
type endError struct {
	reason  harness.Reason
	message string
}

func (e *endError) Error() string { return e.message }

// errPluginLost marks an error that came of a plugin's death.
var errPluginLost = errors.New("plugin lost")
