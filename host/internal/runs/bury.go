package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// agentID is the process id of a run's agent in its sandbox.
func agentID(run string) string { return "agent-" + run }

// mine makes sure that the run is still ours, now. It is asked before anything
// is done to an agent: a driver that slept past its lease must not touch the
// agent of its successor. While the store can't say, it waits.
func (d *drive) mine(ctx context.Context) error {
	return d.log.retry(ctx, func() error { return d.Store.Renew(ctx, d.id, d.epoch, leaseTTL) })
}

// may says whether this driver may still make and remove the run's sandbox: the
// run is its own, also after it has ended it.
func (d *drive) may(ctx context.Context) error {
	if err := d.mine(ctx); !errors.Is(err, store.ErrTerminal) {
		return err
	}
	return nil
}

// bury makes sure that the run's agent is dead, with a provider process of its
// own, and removes the sandbox where the lifecycle says so or it was never ready. Without an error
// nothing of the agent runs any more, and only then a terminal event may be
// written.
func (d *drive) bury(ctx context.Context) error {
	run, err := lookUp(ctx, d.log, func() (store.Run, error) { return d.Store.Run(ctx, d.run.ID) })
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	d.run = run
	if d.record == nil { // nobody can tell any more where it runs
		if len(run.Launch) > 0 {
			return errors.New("its agent may still run, and which sandbox it is in can't be read; the run stays open")
		}
		return nil
	}
	started, removed := len(run.Launch) > 0, d.removes(d.canceled.Err() != nil)
	if run.Sandbox == "" {
		return nil // nothing was made
	}
	row, err := lookUp(ctx, d.log, func() (store.SandboxRow, error) { return d.Store.Sandbox(ctx, run.Sandbox) })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up sandbox: %w", err)
	}
	removed = removed || row.HalfMade()
	if !started && !removed {
		return nil // nothing in it is ours
	}
	prov, err := d.Provider(ctx, d.record.Spec)
	if err == nil {
		defer prov.Close()
		if started {
			err = d.killIn(ctx, prov, row)
		}
		if err == nil && removed {
			d.rescue(ctx, prov, row.ID)
			err = sandboxes.Destroy(ctx, d.Store, prov, run.Sandbox, run.ID, claimant(d.may))
		}
	}
	switch {
	case err == nil:
		return nil
	case !started:
		// No agent is at stake; the row stays, so that the sandbox is found.
		d.Log.Error("remove the run's sandbox", "error", err)
		d.log.host(ctx, warning("sandbox_kept", "the run's sandbox could not be removed: "+err.Error()))
		return nil
	}
	err = fmt.Errorf("the agent may still run in sandbox %s: %w; the run stays open: try again when that is mended", row.ID, err)
	d.log.host(ctx, warning("agent_not_ended", err.Error()))
	return err
}

// killIn ends the agent in its sandbox. Where its death can't be verified, the
// sandbox is destroyed.
func (d *drive) killIn(ctx context.Context, prov Provider, row store.SandboxRow) error {
	limited, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	sb, err := prov.Resume(limited, sandbox.ResumeRequest{ID: row.ID})
	if errors.Is(err, sandbox.Gone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if err := d.mine(ctx); err != nil {
		return err
	}
	err = sb.Kill(limited, agentID(d.run.ID), killGrace)
	if err == nil {
		d.seeChanges(ctx, sb)
		return nil
	}
	d.Log.Error("kill the agent; destroying its sandbox", "error", err)
	d.rescue(ctx, prov, row.ID)
	if derr := sandboxes.Destroy(ctx, d.Store, prov, d.run.Sandbox, d.run.ID, claimant(d.may)); derr != nil {
		return derr // says what still runs; the first error is in the log
	}
	d.log.host(ctx, warning("sandbox_destroyed", "the agent could not be killed, so its sandbox was destroyed: "+err.Error()))
	return nil
}

// removes reports whether the sandbox goes with the run.
func (d *drive) removes(canceled bool) bool { return removes(d.record.Spec.Lifecycle, canceled) }

func removes(life config.Lifecycle, canceled bool) bool {
	return life.Reuse == "none" || life.DestroyOnComplete || canceled && life.OnCancel == "destroy"
}

// discard removes the sandbox of a run that has ended, where the lifecycle says
// so. That can't change the run's end any more.
func (d *drive) discard(ctx context.Context, prov Provider, canceled bool) {
	if !d.removes(canceled) || d.unkept {
		return
	}
	if err := sandboxes.Destroy(ctx, d.Store, prov, d.run.Sandbox, d.run.ID, claimant(d.may)); err != nil {
		d.Log.Error("remove the run's sandbox", "error", err)
	}
}
