package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/recovery"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

var (
	errCanceled = errors.New("the run was canceled")
	errFenced   = errors.New("another driver has taken the run")
)

// drive is one driver's work on one run.
type drive struct {
	*Engine
	id       string    // of the run
	run      store.Run // as it was at the beginning of this attempt; only the attempt's goroutine reads it
	record   *Record
	epoch    int64
	secrets  *secrets.Set
	log      *log
	canceled context.Context // ends when somebody asked for it
	closed   bool            // the harness has ended what it began
	lost     error           // what ended the attempt before this one; nil for the first
	reached  bool            // this driver was connected to the sandbox
	archived bool            // the journal was looked after
	unkept   bool            // what the run has made is nowhere but in its sandbox, and was to be kept
	tools    tools           // commands of ours that a plugin may have left

	noted      *launched // the agent as it was begun by this driver; nil: it wasn't
	unscrubbed error     // secrets that nothing can be scrubbed of, since they aren't there
	changed    *changed  // what the agent changed; nil: nobody has looked yet
}

// Drive claims a run and drives it to its end. It returns nil once a terminal
// event is written, whatever the run's status. Of a run that has ended it removes
// what its driver left. A *store.HeldError says that somebody else drives it.
func (e *Engine) Drive(ctx context.Context, id string) error {
	epoch, claimErr := e.claim(ctx, id)
	if claimErr != nil && !errors.Is(claimErr, store.ErrTerminal) {
		return fmt.Errorf("claim run %s: %w", id, claimErr)
	}
	run, err := e.Store.Run(ctx, id)
	if err != nil {
		return fmt.Errorf("read run %s: %w", id, err)
	}
	if claimErr != nil { // it has ended
		return e.tidy(ctx, run)
	}
	d := &drive{Engine: e, id: id, run: run, epoch: epoch}
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
	d.changed.close()
	if err == nil {
		d.leave(ctx)
	}
	if err != nil { // the run goes on without us: whoever comes next needn't wait for the lease
		free, done := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer done()
		_ = d.Store.Release(free, id, epoch)
	}
	if cause := context.Cause(ctx); errors.Is(cause, errFenced) {
		return cause
	}
	return err
}

// toEnd attempts the run until a terminal event is written. An error means that
// the run isn't over: somebody else has it, this process is told to stop, or an
// agent may live that can't be reached.
func (d *drive) toEnd(ctx context.Context) error {
	if err := d.prepare(ctx); err != nil {
		if errors.Is(err, errStaysOpen) {
			return err
		}
		return d.giveUp(ctx, err)
	}
	restarts := recovery.Pauses() // before a run is attempted again after a plugin died
	for restarted := 0; ; {
		err := d.attempt(ctx)
		switch {
		case err == nil, errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrTerminal):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errStaysOpen):
			return err
		}
		d.Log.Warn("attempt ended", "error", err)
		pause := retryMost
		switch {
		case store.Fault(err): // nothing is wrong with the run: it goes on once the store can be written
			if err := d.mine(ctx); err != nil {
				return err
			}
		case !errors.Is(err, errPluginLost) && !d.cutOff(err) || restarted == len(restarts):
			return d.giveUp(ctx, err)
		default:
			d.lost = err
			code := "plugin_restarted"
			if !errors.Is(err, errPluginLost) {
				code = "sandbox_unreachable"
			}
			d.log.host(ctx, warning(code, err.Error()))
			pause = restarts[restarted]
			restarted++
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// giveUp ends the run because of an error of ours or of the world, but never
// while its agent may live.
func (d *drive) giveUp(ctx context.Context, cause error) error {
	if err := d.bury(ctx); err != nil {
		return errors.Join(cause, err)
	}
	return d.end(ctx, d.outcomeOf(cause))
}

// prepare reads the record and resolves the secrets. Where one can't be had any
// more and the agent has it already, the run isn't read further, since what the
// agent prints of it couldn't be scrubbed; to stop the agent nothing is needed.
func (d *drive) prepare(ctx context.Context) error {
	record, err := decodeRecord(d.run.Spec)
	if err != nil {
		return err
	}
	d.record = record
	set, missing, err := d.resolveSome(ctx, record.Spec)
	if err != nil {
		return err
	}
	d.secrets = set
	d.Mask.know(set.Redactor())
	d.log.redact, d.log.scrub.redactor = set.Redactor().Redact, set.Redactor()
	if len(d.run.Launch) == 0 {
		d.warnExposed(ctx)
	}
	if missing == nil {
		return nil
	}
	if scrubbed(record.Spec, missing) {
		d.unscrubbed = missing
	}
	switch canceled, err := d.Store.CancelRequested(ctx, d.run.ID); {
	case err != nil:
		return fmt.Errorf("look for a cancel request: %w", err)
	case len(d.run.Launch) == 0:
		return &endError{reason: harness.ReasonBootstrapFailed, message: missing.Error()}
	case !canceled && scrubbed(record.Spec, missing):
		return fmt.Errorf("%w: %w, so that what the agent prints can be scrubbed of it; or cancel the run", errStaysOpen, missing)
	}
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
			err := d.Store.Renew(ctx, d.id, d.epoch, leaseTTL)
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
		yes, err := d.Store.CancelRequested(ctx, d.id)
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

// end writes the terminal event.
func (d *drive) end(ctx context.Context, o store.Outcome) error {
	if err := d.sayUnheard(ctx); err != nil {
		return err
	}
	last := d.changed.last()
	if len(d.run.Launch) > 0 && !d.closed {
		closings, err := d.log.closings(ctx)
		if err != nil {
			return fmt.Errorf("close what run %s left open: %w", d.run.ID, err)
		}
		last = append(closings, last...)
	}
	if err := d.log.finish(ctx, o, last...); err != nil {
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

// endBy is an endError whose message has told of an error.
type endBy struct {
	*endError

	told error
}

func (e *endBy) Unwrap() []error { return []error{e.endError, e.told} }

// errStaysOpen marks an error that ends the driver and not the run: its agent
// works, and can be followed once the cause is mended.
var errStaysOpen = errors.New("the run stays open, its agent goes on")
