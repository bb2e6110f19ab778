package runs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// UpRequest is a sandbox that somebody wants without a run.
type UpRequest struct {
	Spec   *config.Spec
	Thread string            // name of the thread whose runs will use it; empty: a new one
	Opened func(name string) // told the thread's name before anything slow; may be nil
	Tell   func(store.Event) // told phases and setup's output, scrubbed, one call at a time
}

// Upped is the sandbox that there is now.
type Upped struct {
	Sandbox string // its id
	Root    string // folder of the workspace in it
	Thread  string // name of the thread
	Resumed bool   // it was there before
}

// ErrPerRun says that a sandbox can't be prepared, since each run makes its own.
var ErrPerRun = errors.New("each run makes its own sandbox")

// Up resumes the sandbox of a thread, or makes it, as the thread's next run would,
// and leaves it to that. When ctx ends, what was half made is unmade. A thread with
// a live run gives a *store.ThreadBusyError; a run that starts meanwhile waits.
func (e *Engine) Up(ctx context.Context, req UpRequest) (Upped, error) {
	spec := req.Spec
	if spec.Lifecycle.Reuse == "none" {
		return Upped{}, ErrPerRun
	}
	set, err := e.secretsFrom().Resolve(ctx, sources(spec))
	if err != nil {
		return Upped{}, err
	}
	e.Mask.know(set.Redactor())
	if req.Thread == "" {
		req.Thread = newThread()
	}
	thread, err := e.Store.OpenThread(ctx, spec.Project, req.Thread, spec.Harness.Type)
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
	t := &told{event: req.Tell, redact: set.Redactor().Redact}
	if want.Fill, err = e.fill(spec, set, false); err != nil {
		return Upped{}, err
	}
	want.Fill.Output = func(o sandboxes.Output) { t.tell(outputEvent(o)) }
	want.Fill.Fetch.Warn = func(code, text string) { t.tell(warning(code, text)) }
	want.Claimant = Claimant()
	want.Claimant.What = "sandlot up"
	sb, err := e.ensureWhole(ctx, spec, want, t)
	if err != nil {
		return Upped{}, located(spec.Provider, err)
	}
	return Upped{Sandbox: sb.ID(), Root: sb.Info().Root, Thread: thread.Name, Resumed: !t.created}, nil
}

// ensureWhole begins anew where the plugin dies.
func (e *Engine) ensureWhole(ctx context.Context, spec *config.Spec, want sandboxes.Want, t *told) (sb sandbox.Sandbox, err error) {
	prov, err := e.Provider(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer prov.Close()
	if err := networkHeld(spec, harness.Traits{}, prov); err != nil {
		return nil, err
	}
	err = prov.Whole(ctx, func(ctx context.Context) (err error) {
		sb, err = sandboxes.Ensure(ctx, e.Store, prov, want, t.phase)
		return err
	})
	return sb, err
}

// told passes events on that belong to no run.
type told struct {
	event  func(store.Event)
	redact func([]byte) []byte

	mu      sync.Mutex // phases and output are told by several goroutines
	created bool
}

func (t *told) phase(p sandboxes.Phase) {
	if (p.Name == "create" || p.Name == "restore") && p.State == "start" {
		t.mu.Lock()
		t.created = true
		t.mu.Unlock()
	}
	t.tell(phaseEvent(p))
}

func (t *told) tell(e agui.Event) {
	payload, err := agui.Marshal(e)
	if err != nil { // it is made of strings and numbers
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.event(store.Event{Source: store.Host, Time: time.Now(), Payload: redactEvent(t.redact, payload)})
}
