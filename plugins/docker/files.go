package main

import (
	"context"
	"io"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files are the guest's.
type files struct{ box *box }

// Files serves the container's files.
func (b *box) Files() sandbox.Files { return files{b} }

func (f files) guest(ctx context.Context) (sandbox.Files, error) {
	sb, err := f.box.guest(ctx)
	if err != nil {
		return nil, err
	}
	filer, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		return nil, err
	}
	return filer.Files(), nil
}

func (f files) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	g, err := f.guest(ctx)
	if err != nil {
		return nil, err
	}
	return g.Read(ctx, path, opts)
}

func (f files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Write(ctx, path, r, opts)
}

func (f files) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	g, err := f.guest(ctx)
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	return g.Stat(ctx, path)
}

func (f files) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	g, err := f.guest(ctx)
	if err != nil {
		return nil, err
	}
	return g.List(ctx, path)
}

func (f files) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Mkdir(ctx, path, mode)
}

func (f files) Rename(ctx context.Context, from, to string) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Rename(ctx, from, to)
}

func (f files) Remove(ctx context.Context, path string) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Remove(ctx, path)
}

func (f files) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Chmod(ctx, path, mode)
}

func (f files) Pull(ctx context.Context, path string, w io.Writer) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Pull(ctx, path, w)
}

func (f files) Push(ctx context.Context, path string, r io.Reader) error {
	g, err := f.guest(ctx)
	if err != nil {
		return err
	}
	return g.Push(ctx, path, r)
}
