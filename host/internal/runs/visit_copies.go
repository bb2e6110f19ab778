package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Port tells how a port of the sandbox is reached from here.
func (v *Visit) Port(ctx context.Context, port int) (sandbox.Port, error) {
	porter, err := sandbox.As[sandbox.Porter](v.sandbox)
	if err != nil {
		return sandbox.Port{}, v.cannot(err, "opens no ports of its sandboxes")
	}
	found, err := porter.Port(ctx, port)
	return found, located(v.spec.Provider, err)
}

// Snapshot keeps a snapshot of the sandbox until somebody removes it. Label is one line
// for a person; it may be empty.
func (v *Visit) Snapshot(ctx context.Context, label string, tell func(sandboxes.Phase)) (store.SnapshotRow, error) {
	row := store.SnapshotRow{
		Type: v.row.Type, Kind: store.SnapshotHand, SetupKey: v.row.SetupKey, Key: v.row.Key, Block: v.row.Block,
		Thread: v.row.Thread, Label: label, Config: v.row.Config, Spec: v.row.Spec,
	}
	if _, err := sandbox.As[sandbox.Snapshotable](v.sandbox); err != nil {
		return row, v.cannot(err, "keeps no snapshots")
	}
	who := Claimant()
	who.What = "sandlot snapshot create"
	done, err := v.quiet(ctx, who)
	if err != nil {
		return row, err
	}
	defer done()
	labels := sandbox.Labels{
		Owner: v.engine.Store.Owner(), HostBoot: BootID(), Project: v.row.Project, Thread: v.row.Thread, Key: v.row.Key,
	}
	return sandboxes.Keep(ctx, v.engine.Store, v.provider, v.sandbox, row, labels, who, tell)
}

// quiet keeps runs away while a snapshot or fork would end them.
func (v *Visit) quiet(ctx context.Context, who sandboxes.Claimant) (done func(), err error) {
	done, err = sandboxes.Quiet(ctx, v.engine.Store, v.row, v.sandbox.Info().Capabilities.Disruption, who)
	if busy, ok := errors.AsType[*sandboxes.InUseError](err); ok && busy.Run != "" {
		return nil, fmt.Errorf("%w, which provider %s would end by that; wait for it, or stop it first: sandlot cancel %s", err, v.row.Type, busy.Run)
	}
	return done, err
}

// cannot says in other words that the sandbox's provider lacks a capability.
func (v *Visit) cannot(err error, words string) error {
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Class == sandbox.Unsupported {
		return &sandbox.Error{
			Class: e.Class, Capability: e.Capability,
			Message: fmt.Sprintf("sandbox %s: provider %s %s: it lacks the capability %q", v.row.ID, v.row.Type, words, e.Capability),
			Hint:    "use a sandbox of a provider that has it; sandlot plugin docs tells what each can",
		}
	}
	return err
}

// ForkRequest says of what a copy is made, and for which thread.
type ForkRequest struct {
	Thread string            // its name; empty: a new one
	Opened func(name string) // told the thread's name before anything slow; may be nil
	Tell   func(sandboxes.Phase)
}

// Fork copies the sandbox, as it is now, for another thread: its next run finds the
// copy as its own.
func (v *Visit) Fork(ctx context.Context, req ForkRequest) (Upped, error) {
	if _, err := sandbox.As[sandbox.Forker](v.sandbox); err != nil {
		return Upped{}, v.cannot(err, "makes no copies of its sandboxes")
	}
	return v.engine.fork(ctx, v.spec, v.row.Project, req, func(w sandboxes.Want) (sandbox.Sandbox, error) {
		done, err := v.quiet(ctx, w.Claimant)
		if err != nil {
			return nil, err
		}
		defer done()
		return sandboxes.Fork(ctx, v.engine.Store, v.provider, v.sandbox, w, req.Tell)
	})
}

// ForkSnapshot is Fork of a snapshot.
func (e *Engine) ForkSnapshot(ctx context.Context, row store.SnapshotRow, req ForkRequest) (Upped, error) {
	spec := &config.Spec{}
	if err := json.Unmarshal(row.Spec, spec); err != nil {
		return Upped{}, fmt.Errorf("read spec of snapshot %s: %w", row.ID, err)
	}
	provider, err := e.Provider(ctx, spec)
	if err != nil {
		return Upped{}, err
	}
	defer provider.Close()
	return e.fork(ctx, spec, spec.Project, req, func(w sandboxes.Want) (sandbox.Sandbox, error) {
		return sandboxes.Restore(ctx, e.Store, provider, row, w, req.Tell)
	})
}

func (e *Engine) fork(ctx context.Context, spec *config.Spec, project string, req ForkRequest, make func(sandboxes.Want) (sandbox.Sandbox, error)) (Upped, error) {
	if spec.Lifecycle.Reuse == "none" {
		return Upped{}, fmt.Errorf("%w: its block %q has reuse = \"none\", so no run would find the copy", ErrPerRun, spec.Block)
	}
	if req.Thread == "" {
		req.Thread = newThread()
	}
	thread, err := e.Store.OpenThread(ctx, project, req.Thread, spec.Harness.Type)
	if err != nil {
		return Upped{}, err
	}
	if req.Opened != nil {
		req.Opened(thread.Name)
	}
	want, err := wanted(spec, thread.ID, "")
	if err != nil {
		return Upped{}, err
	}
	want.Claimant = Claimant()
	want.Claimant.What = "sandlot fork"
	sb, err := make(want)
	if taken, ok := errors.AsType[*sandboxes.TakenError](err); ok {
		return Upped{}, fmt.Errorf("fork for thread %s: %w; name another thread, or remove that first: sandlot destroy %s", thread.Name, err, taken.Row.ID)
	}
	if err != nil {
		return Upped{}, located(spec.Provider, err)
	}
	return Upped{Sandbox: sb.ID(), Root: sb.Info().Root, Thread: thread.Name}, nil
}

// DropSnapshot removes a snapshot, with a provider process of its own.
func (e *Engine) DropSnapshot(ctx context.Context, row store.SnapshotRow) error {
	spec := &config.Spec{}
	if err := json.Unmarshal(row.Spec, spec); err != nil {
		return fmt.Errorf("read spec of snapshot %s: %w", row.ID, err)
	}
	provider, err := e.Provider(ctx, spec)
	if err != nil {
		return err
	}
	defer provider.Close()
	return sandboxes.DropSnapshot(ctx, e.Store, provider, row)
}
