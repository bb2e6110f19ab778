package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Write fills a new file beside the old one and renames it. A link at path is
// replaced, not followed.
func (f files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	a, err := f.find(path)
	if err != nil {
		return err
	}
	defer a.root.Close()
	mode := fs.FileMode(0o644)
	switch old, err := a.root.Lstat(a.name); {
	case err == nil && old.IsDir():
		return sandbox.Errorf(sandbox.Invalid, "write file %q: it is a folder", path)
	case err == nil && old.Mode().IsRegular():
		mode = old.Mode().Perm()
	}
	if opts.Mode != 0 {
		mode = opts.Mode.Perm()
	}
	if err := a.parent(); err != nil {
		return a.fail("write file", err)
	}
	tmp := filepath.Join(filepath.Dir(a.name), ".sandlot-"+rand.Text())
	if err := fill(ctx, a.root, tmp, r, mode); err != nil {
		return a.fail("write file", errors.Join(err, absent(a.root.Remove(tmp))))
	}
	if err := a.root.Rename(tmp, a.name); err != nil {
		return a.fail("write file", errors.Join(err, a.root.Remove(tmp)))
	}
	return nil
}

func fill(ctx context.Context, root *os.Root, name string, r io.Reader, mode fs.FileMode) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(into{ctx, file}, r)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = file.Chmod(mode)
	}
	return errors.Join(err, file.Close())
}

// under reads as long as a context lasts.
type under struct {
	ctx context.Context
	r   io.Reader
}

func (u under) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// into writes as long as a context lasts.
type into struct {
	ctx context.Context
	w   io.Writer
}

func (i into) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}

// absent takes a file that isn't there for removed.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
