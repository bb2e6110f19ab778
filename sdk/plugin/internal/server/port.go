package server

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Port serves the call.
func (s *Provider) Port(ctx context.Context, r *pb.PortRequest) (*pb.PortResponse, error) {
	port, err := s.port(ctx, r)
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	return wire.Port(port), nil
}

func (s *Provider) port(ctx context.Context, r *pb.PortRequest) (sandbox.Port, error) {
	if err := sandbox.CheckPort(int(r.GetPort())); err != nil {
		return sandbox.Port{}, err
	}
	sb, err := s.sandbox(ctx, r.GetSandbox())
	if err != nil {
		return sandbox.Port{}, err
	}
	p, err := optional[sandbox.Porter](s, sb, "ports")
	if err != nil {
		return sandbox.Port{}, err
	}
	return p.Port(ctx, int(r.GetPort()))
}

// KeepAlive serves the call.
func (s *Provider) KeepAlive(ctx context.Context, r *pb.KeepAliveRequest) (*pb.KeepAliveResponse, error) {
	d := wire.Duration(r.GetDurationMs())
	err := sandbox.CheckKeep(d)
	if err == nil {
		err = s.keep(ctx, r.GetSandbox(), func(k sandbox.Keeper) error { return k.KeepAlive(ctx, d) })
	}
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	return &pb.KeepAliveResponse{}, nil
}

func (s *Provider) keep(ctx context.Context, id string, keep func(sandbox.Keeper) error) error {
	sb, err := s.sandbox(ctx, id)
	if err != nil {
		return err
	}
	k, err := optional[sandbox.Keeper](s, sb, "keep_alive")
	if err != nil {
		return err
	}
	return keep(k)
}
