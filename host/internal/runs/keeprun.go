package runs

import (
	"context"
	"sync"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// keepRun keeps a snapshot of what a run has left, where its lifecycle wants that. It
// does so before the run's end is written: the thread's next run could otherwise be
// at work while the snapshot stops it, or miss it. A run that was canceled keeps
// nothing: what it was at is half done, and who cancels doesn't want to wait. A
// failure is told, and changes nothing else.
func (d *drive) keepRun(ctx context.Context, prov Provider, sb sandbox.Sandbox, o store.Outcome) error {
	if o.Status == store.Canceled || d.canceled.Err() != nil {
		return nil
	}
	want, err := wanted(d.record.Spec, d.run.Thread, d.run.ID)
	if err != nil {
		return err
	}
	want.Claimant = claimant(d.may)
	want.Claimant.What = "run " + d.run.ID
	var mu sync.Mutex // a provider tells progress from wherever it is
	err = sandboxes.KeepRun(d.canceled, d.Store, prov, sb, want, func(p sandboxes.Phase) {
		mu.Lock()
		defer mu.Unlock()
		d.log.host(ctx, phaseEvent(p))
	})
	if err != nil && d.removes(false) {
		d.unkept = true
		d.log.host(ctx, warning("sandbox_kept", "no snapshot of the run could be kept, so its sandbox stays, where all that the run has made is: "+err.Error()))
	}
	return nil
}
