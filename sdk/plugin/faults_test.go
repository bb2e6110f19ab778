package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Faulty providers behind a pipe, called with short timeouts.

// bare is a provider of one sandbox that does nothing.
type bare struct{}

func (bare) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return box{}, nil
}

func (bare) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return box{}, nil
}
func (bare) Destroy(context.Context, string) error           { return nil }
func (bare) List(context.Context) ([]sandbox.Summary, error) { return nil, nil }
func (bare) Capabilities() sandbox.Capabilities              { return sandbox.Capabilities{} }

type box struct{ process sandbox.Process }

func (box) ID() string         { return "box" }
func (box) Info() sandbox.Info { return sandbox.Info{Root: "/"} }
func (b box) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	return b.process, nil
}
func (box) Kill(context.Context, string, time.Duration) error { return nil }
func (box) Alive(context.Context, string) (sandbox.Liveness, error) {
	return "perhaps", nil
}

// hanging answers when its context ends. It reports the pull of an image first,
// for as long as that takes.
type hanging struct {
	bare
	pull time.Duration
}

func (h hanging) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(h.pull); time.Now().Before(end); {
		req.Progress(sandbox.Progress{Phase: "pull", Percent: -1})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if h.pull > 0 {
		return box{}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) List(ctx context.Context) ([]sandbox.Summary, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func behind(t *testing.T, p sandbox.Provider) sandbox.Provider {
	t.Helper()
	conn := pipe(t, KindProvider, Main{Provider: func(context.Context, Configure) (sandbox.Provider, error) { return p, nil }})
	conn.Timeouts = Timeouts{Unary: 100 * time.Millisecond, Create: 500 * time.Millisecond, Destroy: 300 * time.Millisecond}
	return remote.NewProvider(conn, p.Capabilities())
}

func TestACallThatHangsIsTimedOut(t *testing.T) {
	p := behind(t, hanging{})
	if _, err := p.List(t.Context()); !errors.Is(err, sandbox.TimedOut) {
		t.Errorf("list: got %v", err)
	}
	if _, err := p.Create(t.Context(), sandbox.CreateRequest{Key: key}); !errors.Is(err, sandbox.TimedOut) ||
		!strings.Contains(err.Error(), "did not finish within 500ms") {
		t.Errorf("create: got %v", err)
	}
}

func TestACallThatIsGivenUpIsCanceled(t *testing.T) {
	p := behind(t, hanging{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.List(ctx); !errors.Is(err, sandbox.Canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v", err)
	}
	if _, err := p.Create(ctx, sandbox.CreateRequest{Key: key}); !errors.Is(err, sandbox.Canceled) {
		t.Errorf("create: got %v", err)
	}
}

// tardy is a provider whose Create ends when it likes.
type tardy struct {
	bare
	create func(ctx context.Context) (sandbox.Sandbox, error)
}

func (t tardy) Create(ctx context.Context, _ sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return t.create(ctx)
}

func TestACreateThatIsCanceledIsAwaited(t *testing.T) {
	end := func(ctx context.Context) (sandbox.Sandbox, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	t.Run("what is finished all the same is returned", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sb, err := behind(t, tardy{create: func(inner context.Context) (sandbox.Sandbox, error) {
			cancel()
			<-inner.Done()
			return box{}, nil
		}}).Create(ctx, sandbox.CreateRequest{Key: key})
		if err != nil || sb == nil {
			t.Errorf("got %v, %v", sb, err)
		}
	})
	t.Run("a deadline that passes is told as one", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := behind(t, tardy{create: end}).Create(ctx, sandbox.CreateRequest{Key: key}); !errors.Is(err, sandbox.TimedOut) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a provider that doesn't listen is left", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		deaf := make(chan struct{})
		defer close(deaf)
		_, err := behind(t, tardy{create: func(context.Context) (sandbox.Sandbox, error) {
			cancel()
			<-deaf
			return box{}, nil
		}}).Create(ctx, sandbox.CreateRequest{Key: key})
		if !errors.Is(err, sandbox.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAPullMayTakeAsLongAsItGoesOn(t *testing.T) {
	start := time.Now()
	if _, err := behind(t, hanging{pull: 1200 * time.Millisecond}).Create(t.Context(), sandbox.CreateRequest{Key: key}); err != nil {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
}

// odd is a process with a fault.
type odd struct {
	signal func()
	wait   func(context.Context) (sandbox.Exit, error)
}

func (odd) PID() int { return 1 }
func (o odd) Signal(context.Context, int) error {
	o.signal()
	return nil
}
func (odd) Resize(context.Context, sandbox.Size) error       { return nil }
func (o odd) Wait(ctx context.Context) (sandbox.Exit, error) { return o.wait(ctx) }
func (odd) Close() error                                     { return nil }

func started(t *testing.T, p sandbox.Process) sandbox.Process {
	t.Helper()
	sb, err := behind(t, oddly{box: box{process: p}}).Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	proc, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: ":"})
	if err != nil {
		t.Fatal(err)
	}
	return proc
}

type oddly struct {
	bare
	box box
}

func (o oddly) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return o.box, nil
}

func TestAnExitThatTheProviderDoesNotKnowIsUnknown(t *testing.T) {
	p := started(t, odd{wait: func(context.Context) (sandbox.Exit, error) {
		return sandbox.Exit{Code: 0, Reason: sandbox.ReasonUnknown}, sandbox.Errorf(sandbox.Unavailable, "the backend is gone")
	}})
	for range 2 { // it is latched
		exit, err := p.Wait(t.Context())
		if exit.Ok() || exit.Reason != sandbox.ReasonUnknown || exit.Code != -1 ||
			!errors.Is(err, sandbox.Unavailable) || err.Error() != "the backend is gone" {
			t.Errorf("got %+v, %v", exit, err)
		}
	}
}

func TestAnExitWithoutAReasonIsNoSuccess(t *testing.T) {
	p := started(t, odd{wait: func(context.Context) (sandbox.Exit, error) { return sandbox.Exit{}, nil }})
	if exit, err := p.Wait(t.Context()); err != nil || exit.Ok() || exit.Reason != sandbox.ReasonUnknown {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func TestAPanicBesideTheCallEndsThatProcessOnly(t *testing.T) {
	p := started(t, odd{
		signal: func() { panic("a bug in signal") },
		wait: func(ctx context.Context) (sandbox.Exit, error) {
			<-ctx.Done()
			return sandbox.Exit{}, ctx.Err()
		},
	})
	if err := p.Signal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	_, err := p.Wait(t.Context())
	if _, ok := errors.AsType[*Crash](err); !ok || !errors.Is(err, sandbox.Internal) {
		t.Errorf("got %v", err)
	}
}

func TestALivenessThatIsNotKnownIsUnknown(t *testing.T) {
	sb, err := behind(t, bare{}).Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if alive, err := sb.Alive(t.Context(), "p"); err != nil || alive != sandbox.AliveUnknown {
		t.Errorf("got %s, %v", alive, err)
	}
	if _, err := sandbox.As[sandbox.Filer](sb); !errors.Is(err, sandbox.Unsupported) {
		t.Errorf("files of a sandbox without: got %v", err)
	}
	if _, err := sb.(sandbox.Filer).Files().Stat(t.Context(), "f"); !errors.Is(err, sandbox.Unsupported) {
		t.Errorf("a file of a sandbox without: got %v", err)
	}
}

func TestCallsBeforeConfigureAreRefused(t *testing.T) {
	m := Main{Provider: func(context.Context, Configure) (sandbox.Provider, error) {
		return nil, sandbox.Errorf(sandbox.Unauthenticated, "no token")
	}}
	base, release := context.WithCancel(t.Context())
	defer release()
	description, err := json.Marshal(Description{})
	if err != nil {
		t.Fatal(err)
	}
	s := m.services(base, Description{Type: "x"}, description)
	if _, err := s.provider.List(base, nil); err == nil || !strings.Contains(err.Error(), "not configured yet") {
		t.Errorf("got %v", err)
	}
}

// sluggish takes its time to start a process and, like a program that is just
// being executed, can't be killed before.
type sluggish struct {
	box
	asked   chan struct{} // closed when Start was called
	release chan struct{}
	running *atomic.Bool
}

func (s sluggish) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	close(s.asked)
	<-s.release
	s.running.Store(true)
	return odd{wait: func(ctx context.Context) (sandbox.Exit, error) {
		<-ctx.Done()
		return sandbox.Exit{}, ctx.Err()
	}}, nil
}

func (s sluggish) Kill(context.Context, string, time.Duration) error {
	s.running.Store(false)
	return nil
}

type slow struct {
	bare
	box sluggish
}

func (s slow) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return s.box, nil
}

func TestAProcessThatIsGivenUpWhileItStartsDoesNotComeUpLater(t *testing.T) {
	run := map[string]func(context.Context, sandbox.Sandbox) error{
		"started": func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.Start(ctx, sandbox.Command{ID: "p", Script: ":"})
			return err
		},
		"executed": func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "p", Script: ":"})
			return err
		},
	}
	for name, start := range run {
		t.Run(name, func(t *testing.T) {
			b := sluggish{asked: make(chan struct{}), release: make(chan struct{}), running: &atomic.Bool{}}
			sb, err := behind(t, slow{box: b}).Create(t.Context(), sandbox.CreateRequest{Key: key})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-b.asked
				cancel()
				time.AfterFunc(150*time.Millisecond, func() { close(b.release) }) // the kill is there first
			}()
			if err := start(ctx, sb); !errors.Is(err, sandbox.Canceled) {
				t.Errorf("got %v", err)
			}
			select {
			case <-b.release:
			default:
				t.Error("the start isn't over yet: it may still come up")
			}
			if b.running.Load() {
				t.Error("it runs after it was given up")
			}
		})
	}
}
