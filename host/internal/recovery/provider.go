package recovery

import (
	"context"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Running is a provider whose plugin process has been started.
type Running interface {
	sandbox.Provider
	Err() error // how its process ended; nil while it runs
	Close() error
}

// Options say how a plugin is started, and started again.
type Options struct {
	// Launch starts the plugin and configures it.
	Launch func(ctx context.Context) (Running, error)
	// Killed reports whether an error of Launch came of a process that was ended
	// from outside, so that the first start may be tried again too. Nil: none did.
	Killed func(err error) bool
	// Restarts is told why the plugin is about to be started anew. Nil: nobody is.
	Restarts func(why error)
}

// Pauses are those before each new start of a plugin that died; after the last
// one it is given up.
func Pauses() []time.Duration {
	return []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second}
}

// calm is how long a plugin must have lived for its earlier deaths to be
// forgotten.
const calm = time.Minute

// Provider is a provider that outlives its plugin process. Its methods may be
// called concurrently.
type Provider struct {
	opts   Options
	strays strays

	turn chan struct{} // held by who looks at the plugin, or starts it

	mu     sync.Mutex
	life   *life
	spent  int // new starts of this spell
	closed bool
}

// life is one process of the plugin.
type life struct {
	Running

	began time.Time
}

var _ Running = (*Provider)(nil)

// New starts the plugin. Close the provider when it isn't needed any more.
func New(ctx context.Context, opts Options) (*Provider, error) {
	p := &Provider{opts: opts, turn: make(chan struct{}, 1)}
	if _, err := p.current(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// Create implements sandbox.Provider.
func (p *Provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return try(ctx, p, req.Key != "", func(l *life) (sandbox.Sandbox, error) { return p.made(l, req)(l.Create(ctx, req)) })
}

// made is what a life made of a request.
func (p *Provider) made(l *life, req sandbox.CreateRequest) func(sandbox.Sandbox, error) (sandbox.Sandbox, error) {
	return func(sb sandbox.Sandbox, err error) (sandbox.Sandbox, error) {
		if err != nil {
			return nil, err
		}
		return p.box(l, sb, sandbox.ResumeRequest{
			ID: sb.ID(), Env: req.Env, Secrets: req.Secrets, Network: req.Network, Lifetime: req.Lifetime,
		}), nil
	}
}

// Resume implements sandbox.Provider.
func (p *Provider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return try(ctx, p, true, func(l *life) (sandbox.Sandbox, error) {
		sb, err := l.Resume(ctx, req)
		if err != nil {
			return nil, err
		}
		return p.box(l, sb, req), nil
	})
}

// Destroy implements sandbox.Provider.
func (p *Provider) Destroy(ctx context.Context, id string) error {
	_, err := try(ctx, p, true, func(l *life) (struct{}, error) { return struct{}{}, l.Destroy(ctx, id) })
	return err
}

// List implements sandbox.Provider.
func (p *Provider) List(ctx context.Context) ([]sandbox.Summary, error) {
	return try(ctx, p, true, func(l *life) ([]sandbox.Summary, error) { return l.List(ctx) })
}

// Capabilities implements sandbox.Provider.
func (p *Provider) Capabilities() sandbox.Capabilities { return p.last().Capabilities() }

// Err says how the plugin's last process ended, once it is given up; nil before.
func (p *Provider) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spent < len(Pauses()) && !p.closed {
		return nil
	}
	return p.life.Err()
}

// Close ends the plugin. What a dead one had open is ended first.
func (p *Provider) Close() error {
	if l := p.last(); l.Err() != nil && p.strays.any(l) {
		ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
		defer cancel()
		_, _ = p.current(ctx) // whoever started them was told already
	}
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.mu.Lock()
	p.closed = true
	l := p.life
	p.mu.Unlock()
	return l.Close()
}

func (p *Provider) last() *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life
}
