//go:build unix

package plain

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type files struct{ root string }

func (f files) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(f.root, p)
}

func classed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return sandbox.Errorf(sandbox.NotFound, "%w", err)
	}
	return err
}

type limited struct {
	io.Reader
	io.Closer
}

func (f files) Read(_ context.Context, path string, o sandbox.ReadOptions) (io.ReadCloser, error) {
	file, err := os.Open(f.path(path))
	if err != nil {
		return nil, classed(err)
	}
	if _, err := file.Seek(o.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	if o.Limit > 0 {
		return limited{io.LimitReader(file, o.Limit), file}, nil
	}
	return file, nil
}

func (f files) Write(_ context.Context, path string, r io.Reader, o sandbox.WriteOptions) error {
	path = f.path(path)
	temp, err := os.CreateTemp(filepath.Dir(path), ".temp")
	if err != nil {
		return classed(err)
	}
	_, err = io.Copy(temp, r)
	if err = errors.Join(err, temp.Chmod(max(o.Mode, 0o600)), temp.Close()); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return os.Rename(temp.Name(), path)
}

func (f files) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	info, err := os.Lstat(f.path(path))
	if err != nil {
		return sandbox.FileInfo{}, classed(err)
	}
	kind := sandbox.KindFile
	if info.IsDir() {
		kind = sandbox.KindDir
	}
	return sandbox.FileInfo{
		Name: info.Name(), Kind: kind, Mode: info.Mode().Perm(), Size: info.Size(), ModTime: info.ModTime(),
	}, nil
}

func (f files) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	entries, err := os.ReadDir(f.path(path))
	var list []sandbox.FileInfo
	for _, e := range entries {
		info, err := f.Stat(ctx, filepath.Join(path, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, classed(err)
}

func (f files) Mkdir(_ context.Context, path string, mode fs.FileMode) error {
	return os.MkdirAll(f.path(path), mode)
}

func (f files) Rename(_ context.Context, from, to string) error {
	return classed(os.Rename(f.path(from), f.path(to)))
}

func (f files) Remove(_ context.Context, path string) error { return os.RemoveAll(f.path(path)) }

func (f files) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	return classed(os.Chmod(f.path(path), mode))
}

func (f files) Pull(_ context.Context, path string, w io.Writer) error {
	t := tar.NewWriter(w)
	return errors.Join(t.AddFS(os.DirFS(f.path(path))), t.Close())
}

func (f files) Push(_ context.Context, path string, r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		target := filepath.Join(f.path(path), h.Name)
		if h.FileInfo().IsDir() {
			if err := os.MkdirAll(target, 0o755); err != nil {
				return err
			}
			continue
		}
		data, err := io.ReadAll(t)
		if err == nil {
			err = os.WriteFile(target, data, h.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}
