package sandboxes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/workspace"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// CreateTimeout bounds one resume, and one create from the last sign of a pull
// on: a pull takes as long as bytes arrive.
const CreateTimeout = 120 * time.Second

// Ensure resumes the sandbox of that key, or makes it: of a snapshot that fits, or
// anew, with source and setup brought into it, after which a snapshot may be kept.
// One whose making wasn't finished is removed, for it
// can't be told what it lacks. A sandbox is made anew only if the provider says
// that the old one is gone; an error that leaves it open is returned, since a
// second sandbox would lose the first one's work.
//
// Each phase has its own time limit. When ctx ends, what was made is unmade.
func Ensure(ctx context.Context, st *store.Store, p sandbox.Provider, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	l, err := hold(ctx, st, w.Key, w.Claimant, func(o leaseOwner) {
		tell(Phase{Name: "wait", State: "progress", Detail: "for " + o.String() + ", which has the sandbox"})
	})
	if err != nil {
		return nil, err
	}
	defer l.release(ctx)

	row, err := st.Sandbox(ctx, w.Key)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, fmt.Errorf("look up sandbox: %w", err)
	case row.State == store.Ready:
		sb, err := resume(ctx, p, sandbox.ResumeRequest{ID: row.ID, Network: w.Network}, tell)
		if err == nil {
			return sb, st.TouchSandbox(ctx, w.Key)
		}
		if !errors.Is(err, sandbox.Gone) || w.Existing {
			return nil, err
		}
	case row.HalfMade() && !w.Existing:
		// Somebody began to remove it, or to make it, and didn't finish.
		if err := remove(ctx, l, p, row); err != nil {
			return nil, err
		}
	}
	if w.Existing {
		return nil, sandbox.Errorf(sandbox.Gone, "resume the run's sandbox: somebody has removed it")
	}
	return create(ctx, l, p, w, tell)
}

// Resume opens a sandbox that exists. It changes nothing in the store, and of the
// network leaves closed what is.
func Resume(ctx context.Context, p sandbox.Provider, id string, tell func(Phase)) (sandbox.Sandbox, error) {
	return resume(ctx, p, sandbox.ResumeRequest{ID: id}, tell)
}

func resume(ctx context.Context, p sandbox.Provider, req sandbox.ResumeRequest, tell func(Phase)) (sandbox.Sandbox, error) {
	ctx, moved, stop := patient(ctx, "resume")
	defer stop()
	id := req.ID
	done := workspace.Begin(tell, "resume", id)
	req.Progress = progress(tell, moved)
	sb, err := p.Resume(ctx, req)
	err = becauseOf(ctx, err)
	done("", err)
	if err != nil {
		return nil, fmt.Errorf("resume sandbox %s: %w", id, err)
	}
	return sb, nil
}

// create makes a sandbox of the snapshot that fits best, or anew. A snapshot that
// its provider doesn't have any more is forgotten.
func create(ctx context.Context, l *lease, p sandbox.Provider, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	if err := l.still(ctx); err != nil {
		return nil, err
	}
	for {
		found, err := Fitting(ctx, l.store, p.Capabilities(), w)
		if err != nil {
			return nil, err
		}
		if found.Snapshot.ID == "" {
			sb, err := build(ctx, l, p, w, anew(p, w), tell)
			if err == nil {
				keepSetup(ctx, l, p, sb, w, found, tell)
			}
			return sb, err
		}
		from, err := restored(p, found)
		if err != nil {
			return nil, err
		}
		sb, err := build(ctx, l, p, w, from, tell)
		if errors.Is(err, sandbox.Unavailable) && found.Snapshot.Kind == store.SnapshotSetup {
			return build(ctx, l, p, w, anew(p, w), tell) // it only saves time, and may be where the provider doesn't look now
		}
		if err == nil || !errors.Is(err, sandbox.NotFound) {
			return sb, err
		}
		if err := l.store.DeleteSnapshot(ctx, w.Type, found.Snapshot.ID); err != nil {
			return nil, fmt.Errorf("forget a snapshot that isn't there any more: %w", err)
		}
	}
}

// origin is what a new sandbox is made of.
type origin struct {
	phase, detail string // as the phase is told
	filled        bool   // source and setup are in it
	make          func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error)
	explain       func(error) error // words an error of make; nil: it is told as it is
}

func anew(p sandbox.Provider, w Want) origin {
	return origin{phase: "create", detail: w.Type, make: p.Create}
}

// build makes a sandbox and brings into it what belongs there. Until all of it
// is done the row says "creating", so that whoever finds it knows that it is
// half made.
func build(ctx context.Context, l *lease, p sandbox.Provider, w Want, from origin, tell func(Phase)) (sandbox.Sandbox, error) {
	if !from.filled {
		if err := w.Fill.Check(ctx); err != nil {
			return nil, fmt.Errorf("look for secrets in the source: %w", err)
		}
	}
	err := l.store.PutSandbox(ctx, store.SandboxRow{
		Key: w.Key, SetupKey: w.SetupKey, Type: w.Type, Config: w.Config, Spec: w.Spec, Block: w.Block,
		Project: w.Project, Thread: w.Thread, Run: w.Run, State: store.Creating,
	})
	if err != nil {
		return nil, fmt.Errorf("note new sandbox: %w", err)
	}
	sb, err := provide(ctx, l.store, w, from, tell)
	after := context.WithoutCancel(ctx) // what was made must be noted, or unmade, whatever happened
	if err != nil {
		return nil, fmt.Errorf("%s sandbox: %w", from.phase, errors.Join(err, unmade(after, l, p, w.Key, err)))
	}
	if err := noteID(after, l, w.Key, sb.ID()); err != nil {
		return nil, errors.Join(fmt.Errorf("note sandbox %s: %w", sb.ID(), err), discard(after, l, p, w.Key, sb.ID(), err))
	}
	if !from.filled {
		err = workspace.Bootstrap(ctx, sb, w.Fill, tell)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = noteReady(after, l, w.Key)
	}
	if err != nil {
		return nil, errors.Join(err, halfMade(after, l, p, w.Key))
	}
	return sb, nil
}

func provide(ctx context.Context, st *store.Store, w Want, from origin, tell func(Phase)) (sandbox.Sandbox, error) {
	ctx, moved, stop := patient(ctx, from.phase)
	defer stop()
	done := workspace.Begin(tell, from.phase, from.detail)
	sb, err := from.make(ctx, sandbox.CreateRequest{
		Key: w.Key, Harness: w.Harness, Network: w.Network, Lifetime: w.Lifetime, Progress: progress(tell, moved), Labels: w.labels(st),
	})
	if err = becauseOf(ctx, err); err != nil && from.explain != nil {
		err = from.explain(err)
	}
	done("", err)
	return sb, err
}

// unmade forgets a sandbox whose create failed. The provider has unmade what
// there was; but where the answer to the create was lost, or we gave up on it,
// that is looked after, and the row stays if it can't be.
func unmade(ctx context.Context, l *lease, p sandbox.Provider, key string, cause error) error {
	st := l.store
	switch sandbox.ClassOf(cause) {
	case sandbox.Canceled, sandbox.TimedOut, sandbox.Unavailable:
		ctx, cancel := context.WithTimeout(ctx, DestroyTimeout)
		defer cancel()
		row, err := st.Sandbox(ctx, key)
		if err != nil {
			return fmt.Errorf("look up sandbox: %w", err)
		}
		return remove(ctx, l, p, row)
	}
	if err := l.still(ctx); err != nil {
		return err
	}
	if err := st.DeleteSandbox(ctx, key); err != nil {
		return fmt.Errorf("forget sandbox: %w", err)
	}
	return nil
}

// discard removes what was made and couldn't be noted. Another process that has
// taken the lease since may have been given the very same sandbox: that one is
// left to it.
func discard(ctx context.Context, l *lease, p sandbox.Provider, key, id string, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, DestroyTimeout)
	defer cancel()
	if lost(cause) {
		row, err := l.store.Sandbox(ctx, key)
		theirs := err == nil && (row.ID == id || row.ID == "")
		if theirs || err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return p.Destroy(ctx, id)
}

// halfMade removes a sandbox whose bootstrap failed. If it can't, the row stays,
// for whoever comes next.
func halfMade(ctx context.Context, l *lease, p sandbox.Provider, key string) error {
	ctx, cancel := context.WithTimeout(ctx, DestroyTimeout)
	defer cancel()
	row, err := l.store.Sandbox(ctx, key)
	if err != nil {
		return fmt.Errorf("look up sandbox: %w", err)
	}
	return remove(ctx, l, p, row)
}

// noteID records a sandbox that was made, and noteReady that nothing is missing.
func noteID(ctx context.Context, l *lease, key, id string) error {
	if err := l.still(ctx); err != nil {
		return err
	}
	return l.store.SetSandboxID(ctx, key, id)
}

func noteReady(ctx context.Context, l *lease, key string) error {
	err := l.still(ctx)
	if err == nil {
		err = l.store.SetSandboxState(ctx, key, store.Ready)
	}
	if err != nil {
		return fmt.Errorf("note that the sandbox is ready: %w", err)
	}
	return nil
}
