//go:build unix

package plugin_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/plain"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// overdue is a context whose deadline passes without its timer running, as on a
// machine that is too busy to run it. The other end's timer is then the first.
type overdue struct {
	context.Context
	deadline time.Time
}

func (o overdue) Deadline() (time.Time, bool) { return o.deadline, true }

// reluctant is a provider whose processes end by Kill alone: their Close waits
// for it.
type reluctant struct {
	sandbox.Provider
	killed chan struct{}
}

func (r reluctant) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	sb, err := r.Provider.Create(ctx, req)
	return &reluctantBox{Sandbox: sb, killed: r.killed}, err
}

type reluctantBox struct {
	sandbox.Sandbox
	killed chan struct{}
	once   sync.Once
}

func (b *reluctantBox) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	p, err := b.Sandbox.Start(context.WithoutCancel(ctx), cmd)
	return &reluctantProcess{p, b.killed}, err
}

func (b *reluctantBox) Kill(ctx context.Context, proc string, grace time.Duration) error {
	err := b.Sandbox.Kill(ctx, proc, grace)
	b.once.Do(func() { close(b.killed) })
	return err
}

type reluctantProcess struct {
	sandbox.Process
	killed chan struct{}
}

func (p *reluctantProcess) Close() error {
	<-p.killed
	return p.Process.Close()
}

func TestExecKillsBeforeItReturnsWhenThePluginsTimerIsTheFirst(t *testing.T) {
	killed := make(chan struct{})
	sb := create(t, plugin.ProviderPipe(t, reluctant{plain.New(t.TempDir()), killed}))
	ctx := overdue{t.Context(), time.Now().Add(200 * time.Millisecond)}
	_, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "p", Script: "exec sleep 60"})
	if !errors.Is(err, sandbox.TimedOut) {
		t.Errorf("got %v, want class timed_out", err)
	}
	select {
	case <-killed:
	default:
		t.Error("it returned before the process was killed")
		_ = sb.Kill(t.Context(), "p", 0)
	}
	if alive, err := sb.Alive(t.Context(), "p"); err != nil || alive != sandbox.AliveNo {
		t.Errorf("alive %s, %v", alive, err)
	}
}

// told is a context that ends later than it says.
type told struct {
	context.Context
	deadline time.Time
}

func (c told) Deadline() (time.Time, bool) { return c.deadline, true }

// hung is a provider that answers nothing until it is given up.
type hung struct{ sandbox.Provider }

func (hung) List(ctx context.Context) ([]sandbox.Summary, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestADeadlineSaysWhatItMeansWhenThePluginsTimerIsTheFirst(t *testing.T) {
	provider := plugin.ProviderPipe(t, hung{plain.New(t.TempDir())})
	why := errors.New("no answer in the time of this test")
	ctx, stop := context.WithTimeoutCause(t.Context(), 400*time.Millisecond, why)
	defer stop()
	_, err := provider.List(told{ctx, time.Now().Add(200 * time.Millisecond)})
	if !errors.Is(err, sandbox.TimedOut) || !strings.Contains(err.Error(), why.Error()) {
		t.Errorf("got %v, want class timed_out and %q", err, why)
	}
}

// late is a provider that answers that its time is over, before anybody else says
// so.
type late struct{ sandbox.Provider }

func (late) List(context.Context) ([]sandbox.Summary, error) {
	return nil, sandbox.Errorf(sandbox.TimedOut, "list sandboxes: the deadline passed")
}

func TestADeadlineSaysWhatItMeansWhenThePluginAnswersToIt(t *testing.T) {
	provider := plugin.ProviderPipe(t, late{plain.New(t.TempDir())})
	why := errors.New("no answer in the time of this test")
	ctx, stop := context.WithTimeoutCause(t.Context(), 400*time.Millisecond, why)
	defer stop()
	_, err := provider.List(told{ctx, time.Now().Add(50 * time.Millisecond)})
	if !errors.Is(err, sandbox.TimedOut) || !strings.Contains(err.Error(), why.Error()) {
		t.Errorf("got %v, want class timed_out and %q", err, why)
	}
}
