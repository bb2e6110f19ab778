package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Files implements sandbox.Filer.
func (s *Sandbox) Files() sandbox.Files {
	return &files{Conn: s.Conn, rpc: s.rpc, sandbox: wire.Text(s.id)}
}

type files struct {
	*Conn
	rpc     pb.ProviderServiceClient
	sandbox string
}

// Stat implements sandbox.Files.
func (f *files) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	r, err := unary(ctx, f.Conn, f.Timeouts.Unary, "stat "+path, func(ctx context.Context) (*pb.StatResponse, error) {
		return f.rpc.Stat(ctx, &pb.StatRequest{Sandbox: f.sandbox, Path: []byte(path)})
	})
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	return wire.FromFileInfo(r.GetInfo()), nil
}

// List implements sandbox.Files.
func (f *files) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	return unary(ctx, f.Conn, f.Timeouts.Unary, "list "+path, func(ctx context.Context) ([]sandbox.FileInfo, error) {
		stream, err := f.rpc.ListDir(ctx, &pb.ListDirRequest{Sandbox: f.sandbox, Path: []byte(path)})
		if err != nil {
			return nil, err
		}
		var list []sandbox.FileInfo
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return list, nil
			}
			if err != nil {
				return nil, err
			}
			list = append(list, wire.FromFileInfos(m.GetEntries())...)
		}
	})
}

// Mkdir implements sandbox.Files.
func (f *files) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	_, err := unary(ctx, f.Conn, f.Timeouts.Unary, "make folder "+path, func(ctx context.Context) (*pb.MkdirResponse, error) {
		return f.rpc.Mkdir(ctx, &pb.MkdirRequest{Sandbox: f.sandbox, Path: []byte(path), Mode: wire.Mode(mode)})
	})
	return err
}

// Rename implements sandbox.Files.
func (f *files) Rename(ctx context.Context, from, to string) error {
	_, err := unary(ctx, f.Conn, f.Timeouts.Unary, "rename "+from, func(ctx context.Context) (*pb.RenameResponse, error) {
		return f.rpc.Rename(ctx, &pb.RenameRequest{Sandbox: f.sandbox, From: []byte(from), To: []byte(to)})
	})
	return err
}

// Remove implements sandbox.Files.
func (f *files) Remove(ctx context.Context, path string) error {
	_, err := unary(ctx, f.Conn, f.Timeouts.Unary, "remove "+path, func(ctx context.Context) (*pb.RemoveResponse, error) {
		return f.rpc.Remove(ctx, &pb.RemoveRequest{Sandbox: f.sandbox, Path: []byte(path)})
	})
	return err
}

// Chmod implements sandbox.Files.
func (f *files) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	_, err := unary(ctx, f.Conn, f.Timeouts.Unary, "change mode of "+path, func(ctx context.Context) (*pb.ChmodResponse, error) {
		return f.rpc.Chmod(ctx, &pb.ChmodRequest{Sandbox: f.sandbox, Path: []byte(path), Mode: wire.Mode(mode)})
	})
	return err
}
