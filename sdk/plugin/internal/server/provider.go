package server

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Provider serves a provider. It may be registered before the provider is
// known: calls before Configure are refused.
type Provider struct {
	pb.UnimplementedProviderServiceServer

	name    string // type of the plugin, for errors
	base    context.Context
	catcher *Catcher // for panics outside a call's own goroutine

	mu       sync.Mutex
	boxes    *sandboxes
	procs    sync.WaitGroup // processes that end with the plugin
	starting launches
	makings  makings
}

// NewProvider makes the service. When base ends, every process that isn't
// detached is let go, as if its stream had ended.
func NewProvider(base context.Context, name string, catcher *Catcher) *Provider {
	return &Provider{name: name, base: base, catcher: catcher}
}

// Register adds the service to a server.
func (s *Provider) Register(r grpc.ServiceRegistrar) { pb.RegisterProviderServiceServer(r, s) }

// Use sets the provider.
func (s *Provider) Use(p sandbox.Provider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boxes = newSandboxes(p)
}

// Wait returns when no process that ends with the plugin is left, or when ctx
// ends.
func (s *Provider) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.procs.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (s *Provider) opened() (*sandboxes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boxes == nil {
		return nil, notConfigured(s.name)
	}
	return s.boxes, nil
}

func notConfigured(name string) error {
	return sandbox.Errorf(sandbox.Invalid, "call %s plugin: it is not configured yet", name)
}

// sandbox finds the sandbox that a call names.
func (s *Provider) sandbox(ctx context.Context, id string) (sandbox.Sandbox, error) {
	boxes, err := s.opened()
	if err != nil {
		return nil, err
	}
	return boxes.get(ctx, id)
}

// fail makes a status of an error, and forgets a sandbox that is gone.
func (s *Provider) fail(err error, id string) error {
	if err != nil && sandbox.ClassOf(err) == sandbox.Gone && id != "" {
		if boxes, openErr := s.opened(); openErr == nil {
			boxes.forget(id)
		}
	}
	return wire.Status(err, s.name)
}

// optional is an optional interface of a sandbox.
func optional[T any](s *Provider, sb sandbox.Sandbox, capability string) (T, error) {
	t, ok := sb.(T)
	if !ok {
		return t, s.unsupported(capability)
	}
	return t, nil
}

func (s *Provider) unsupported(capability string) error {
	return &sandbox.Error{
		Class: sandbox.Unsupported, Capability: capability,
		Message: "the " + s.name + " provider does not support the " + capability + " capability",
	}
}
