package server

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files finds the files of the sandbox that a call names.
func (s *Provider) files(ctx context.Context, id string) (sandbox.Files, error) {
	sb, err := s.sandbox(ctx, id)
	if err != nil {
		return nil, err
	}
	f, err := optional[sandbox.Filer](s, sb, "fs")
	if err != nil {
		return nil, err
	}
	return f.Files(), nil
}

// onFile runs one call on the files of a sandbox.
func onFile[R any](ctx context.Context, s *Provider, id string, call func(sandbox.Files) (R, error)) (R, error) {
	var none R
	f, err := s.files(ctx, id)
	if err != nil {
		return none, s.fail(err, id)
	}
	r, err := call(f)
	if err != nil {
		return none, s.fail(err, id)
	}
	return r, nil
}

// Stat serves the call.
func (s *Provider) Stat(ctx context.Context, r *pb.StatRequest) (*pb.StatResponse, error) {
	return onFile(ctx, s, r.GetSandbox(), func(f sandbox.Files) (*pb.StatResponse, error) {
		info, err := f.Stat(ctx, string(r.GetPath()))
		return &pb.StatResponse{Info: wire.FileInfo(info)}, err
	})
}

// Mkdir serves the call.
func (s *Provider) Mkdir(ctx context.Context, r *pb.MkdirRequest) (*pb.MkdirResponse, error) {
	return onFile(ctx, s, r.GetSandbox(), func(f sandbox.Files) (*pb.MkdirResponse, error) {
		return &pb.MkdirResponse{}, f.Mkdir(ctx, string(r.GetPath()), wire.FromMode(r.GetMode()))
	})
}

// Rename serves the call.
func (s *Provider) Rename(ctx context.Context, r *pb.RenameRequest) (*pb.RenameResponse, error) {
	return onFile(ctx, s, r.GetSandbox(), func(f sandbox.Files) (*pb.RenameResponse, error) {
		return &pb.RenameResponse{}, f.Rename(ctx, string(r.GetFrom()), string(r.GetTo()))
	})
}

// Remove serves the call.
func (s *Provider) Remove(ctx context.Context, r *pb.RemoveRequest) (*pb.RemoveResponse, error) {
	return onFile(ctx, s, r.GetSandbox(), func(f sandbox.Files) (*pb.RemoveResponse, error) {
		return &pb.RemoveResponse{}, f.Remove(ctx, string(r.GetPath()))
	})
}

// Chmod serves the call.
func (s *Provider) Chmod(ctx context.Context, r *pb.ChmodRequest) (*pb.ChmodResponse, error) {
	return onFile(ctx, s, r.GetSandbox(), func(f sandbox.Files) (*pb.ChmodResponse, error) {
		return &pb.ChmodResponse{}, f.Chmod(ctx, string(r.GetPath()), wire.FromMode(r.GetMode()))
	})
}
