package localfiles

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/unseen"
)

// Write fills a new file and puts it in the place of the old one. A link at path
// is replaced, not followed.
func (f files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	a, err := f.find(path, Use{Make: true})
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
	if err := fill(ctx, a.root, a.name, r, mode, time.Time{}); err != nil {
		return a.fail("write file", err)
	}
	return nil
}

// fill puts a file in its place when it is whole.
func fill(ctx context.Context, root *os.Root, name string, r io.Reader, mode fs.FileMode, modified time.Time) (err error) {
	file, err := unseen.Create(root, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(into{ctx, file}, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := file.Chmod(mode); err != nil {
		return err
	}
	return file.Place(modified)
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
