package server

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Plugin serves the calls that every plugin has.
type Plugin struct {
	pb.UnimplementedPluginServiceServer

	// Name is the type of the plugin, for errors.
	Name string
	// Description is the JSON object that Describe answers.
	Description []byte
	// Apply takes the configuration and returns what the provider can do; nil
	// for a harness.
	Apply func(ctx context.Context, r *pb.ConfigureRequest) (*sandbox.Capabilities, error)

	mu    sync.Mutex
	taken bool
	block string
}

// Register adds the service to a server.
func (s *Plugin) Register(r grpc.ServiceRegistrar) { pb.RegisterPluginServiceServer(r, s) }

// Block is the configuration block; empty before Configure.
func (s *Plugin) Block() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.block
}

// Describe serves the call.
func (s *Plugin) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return &pb.DescribeResponse{Description: s.Description}, nil
}

// Configure serves the call. After a refused configuration the process is of
// no use: the host starts another.
func (s *Plugin) Configure(ctx context.Context, r *pb.ConfigureRequest) (*pb.ConfigureResponse, error) {
	if !s.take(r.GetBlock()) {
		return nil, wire.Status(sandbox.Errorf(sandbox.Conflict,
			"configure %s plugin: it is configured already: one process serves one block", s.Name), s.Name)
	}
	caps, err := s.Apply(ctx, r)
	if err != nil {
		return nil, wire.Status(err, s.Name)
	}
	out := &pb.ConfigureResponse{}
	if caps != nil {
		out.Capabilities = wire.Capabilities(*caps)
	}
	return out, nil
}

func (s *Plugin) take(block string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		return false
	}
	s.taken, s.block = true, block
	return true
}
