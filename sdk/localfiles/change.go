package localfiles

import (
	"context"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Mkdir gives a folder that it makes the mode (0: 0755), whatever the umask.
func (f files) Mkdir(_ context.Context, path string, mode fs.FileMode) error {
	a, err := f.find(path, Use{Follow: true, Make: true})
	if err != nil {
		return err
	}
	defer a.root.Close()
	if st, err := a.root.Stat(a.name); err == nil {
		if st.IsDir() {
			return nil
		}
		return sandbox.Errorf(sandbox.Conflict, "make folder %q: a file has this name", path)
	}
	if mode == 0 {
		mode = 0o755
	}
	if err := a.root.MkdirAll(a.name, 0o755); err != nil {
		return a.fail("make folder", err)
	}
	if err := a.root.Chmod(a.name, mode.Perm()); err != nil {
		return a.fail("make folder", err)
	}
	return nil
}

// Rename is the folders'.
func (f files) Rename(_ context.Context, from, to string) error { return f.folders.Rename(from, to) }

// Remove takes a folder away with all in it, following no link.
func (f files) Remove(ctx context.Context, path string) error {
	if err := f.folders.MayRemove(path); err != nil {
		return err
	}
	a, err := f.find(path, Use{})
	if sandbox.ClassOf(err) == sandbox.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer a.root.Close()
	return Classify("remove "+path, RemoveAll(ctx, a.root, a.name))
}

// Chmod follows a link, as everywhere.
func (f files) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	a, err := f.find(path, Use{Follow: true})
	if err != nil {
		return err
	}
	defer a.root.Close()
	if err := a.root.Chmod(a.name, mode.Perm()); err != nil {
		return a.fail("change mode of", err)
	}
	return nil
}
