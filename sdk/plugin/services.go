package plugin

import (
	"context"
	"io"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/server"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// services are all that one plugin serves.
type services struct {
	plugin   *server.Plugin
	provider *server.Provider // of a provider
	harness  *server.Harness  // of a harness
	catcher  *server.Catcher
	closer   io.Closer // the provider, if it is one
}

func (m Main) services(base context.Context, d Description, description []byte) *services {
	s := &services{plugin: &server.Plugin{Name: d.Type, Description: description}}
	s.catcher = &server.Catcher{
		Plugin:  d.Type,
		Version: d.Version,
		Reports: d.Issues,
		Block:   s.plugin.Block,
		Log: func(c *wire.Crash) {
			m.Log.Debug("plugin crashed", "call", c.Call, "block", c.Block, "panic", c.Value, "stack", c.Stack)
		},
	}
	if m.Provider != nil {
		s.provider = server.NewProvider(base, d.Type, s.catcher)
		s.plugin.Apply = func(ctx context.Context, r *pb.ConfigureRequest) (*sandbox.Capabilities, error) {
			p, err := m.Provider(ctx, configureOf(r))
			if err != nil {
				return nil, err
			}
			s.closer, _ = p.(io.Closer)
			caps := p.Capabilities()
			if m.Sandbox != nil {
				caps = caps.Of(p, m.Sandbox)
			}
			if err := caps.Check(); err != nil {
				return nil, err
			}
			s.provider.Use(p)
			return &caps, nil
		}
		return s
	}
	s.harness = server.NewHarness(d.Type)
	s.plugin.Apply = func(ctx context.Context, r *pb.ConfigureRequest) (*sandbox.Capabilities, error) {
		h, err := m.Harness(ctx, configureOf(r))
		if err == nil {
			s.harness.Use(h)
		}
		return nil, err
	}
	return s
}

func configureOf(r *pb.ConfigureRequest) Configure {
	c := Configure{Config: r.GetConfig(), Owner: r.GetOwner(), Block: r.GetBlock()}
	if len(c.Config) == 0 {
		c.Config = []byte("{}")
	}
	return c
}

func (s *services) options() []grpc.ServerOption {
	return append(server.Options(),
		grpc.ChainUnaryInterceptor(s.catcher.Unary),
		grpc.ChainStreamInterceptor(s.catcher.Stream))
}

func (s *services) register(g grpc.ServiceRegistrar) {
	s.plugin.Register(g)
	if s.provider != nil {
		s.provider.Register(g)
		return
	}
	s.harness.Register(g)
}

// finish waits for what ends with the plugin, then closes the provider.
func (s *services) finish(limit time.Duration) {
	if s.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s.provider.Wait(ctx)
	if s.closer == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.closer.Close() // the process is ending; nobody is left to tell
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}
