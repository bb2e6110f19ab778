package sandboxes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// CreateTimeout bounds one create or resume.
const CreateTimeout = 120 * time.Second

// Want is the sandbox that a run needs.
type Want struct {
	Key      string          // identity key
	SetupKey string          // the key without thread and run
	Type     string          // type of the provider
	Config   json.RawMessage // the provider's configuration, secrets by reference
	Spec     json.RawMessage // the run's resolved spec
	Block    string          // name of the sandbox block
	Project  string          // absolute folder of the configuration
	Thread   string          // thread id
	Run      string          // run id
	Harness  string          // type of the harness
	HostBoot string          // boot id of this machine
	Claimant Claimant        // who asks
}

// Phase is one step of Ensure, told when it starts and when it ends.
type Phase struct {
	Name   string // "create", "resume", "pull", ...
	State  string // "start", "progress", "done", "failed"
	Took   time.Duration
	Detail string
}

// Ensure resumes the sandbox of that key, or makes it. A sandbox is made anew
// only if the provider says that the old one is gone; an error that leaves it
// open is returned, since a second sandbox would lose the first one's work.
func Ensure(ctx context.Context, st *store.Store, p sandbox.Provider, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	ctx, cancel := context.WithTimeout(ctx, CreateTimeout)
	defer cancel()
	l, err := hold(ctx, st, w.Key, w.Claimant)
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
		sb, err := resume(ctx, p, row.ID, tell)
		if err == nil {
			return sb, st.TouchSandbox(ctx, w.Key)
		}
		if !errors.Is(err, sandbox.Gone) {
			return nil, fmt.Errorf("resume sandbox %s: %w", row.ID, err)
		}
	case row.State == store.Destroying:
		// Somebody began to remove it and didn't finish.
		if err := remove(ctx, l, p, row); err != nil {
			return nil, err
		}
	}
	return create(ctx, l, p, w, tell)
}

func resume(ctx context.Context, p sandbox.Provider, id string, tell func(Phase)) (sandbox.Sandbox, error) {
	done := phase("resume", id, tell)
	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id, Progress: progress(tell)})
	done(err)
	return sb, err
}

func create(ctx context.Context, l *lease, p sandbox.Provider, w Want, tell func(Phase)) (sandbox.Sandbox, error) {
	if err := l.still(ctx); err != nil {
		return nil, err
	}
	st := l.store
	err := st.PutSandbox(ctx, store.SandboxRow{
		Key: w.Key, SetupKey: w.SetupKey, Type: w.Type, Config: w.Config, Spec: w.Spec, Block: w.Block,
		Project: w.Project, Thread: w.Thread, Run: w.Run, State: store.Creating,
	})
	if err != nil {
		return nil, fmt.Errorf("note new sandbox: %w", err)
	}
	done := phase("create", w.Type, tell)
	sb, err := p.Create(ctx, sandbox.CreateRequest{
		Key: w.Key, Harness: w.Harness, Progress: progress(tell),
		Labels: sandbox.Labels{
			Owner: st.Owner(), HostBoot: w.HostBoot, Project: w.Project, Thread: w.Thread, Key: w.Key,
		},
	})
	done(err)
	after := context.WithoutCancel(ctx) // what was made must be noted, or unmade, whatever happened
	if err != nil {
		return nil, fmt.Errorf("create sandbox: %w", errors.Join(err, unmade(after, l, p, w.Key, err)))
	}
	if err := note(after, l, w.Key, sb.ID()); err != nil {
		return nil, errors.Join(fmt.Errorf("note sandbox %s: %w", sb.ID(), err), discard(after, l, p, w.Key, sb.ID(), err))
	}
	return sb, nil
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

func phase(name, detail string, tell func(Phase)) (done func(error)) {
	began := time.Now()
	tell(Phase{Name: name, State: "start", Detail: detail})
	return func(err error) {
		p := Phase{Name: name, State: "done", Took: time.Since(began), Detail: detail}
		if err != nil {
			p.State, p.Detail = "failed", err.Error()
		}
		tell(p)
	}
}

func progress(tell func(Phase)) func(sandbox.Progress) {
	return func(p sandbox.Progress) {
		detail := p.Detail
		if p.Percent >= 0 {
			detail = fmt.Sprintf("%s %d %%", detail, p.Percent)
		}
		tell(Phase{Name: p.Phase, State: "progress", Detail: detail})
	}
}

// note records a sandbox that was made.
func note(ctx context.Context, l *lease, key, id string) error {
	if err := l.still(ctx); err != nil {
		return err
	}
	if err := l.store.SetSandboxID(ctx, key, id); err != nil {
		return err
	}
	return l.store.SetSandboxState(ctx, key, store.Ready)
}
