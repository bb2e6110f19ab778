package localfiles

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// RemoveAll removes name under root, following no link, and tries again for
// a while: dying processes may still write, and a folder may be write-protected.
func RemoveAll(ctx context.Context, root *os.Root, name string) error {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		err := root.RemoveAll(name)
		switch {
		case err == nil || wait > time.Second:
			return err
		case errors.Is(err, fs.ErrPermission):
			openFolders(root, name)
		case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		default:
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// openFolders makes every folder from name down writable: module caches are
// not. Links aren't followed.
func openFolders(root *os.Root, name string) {
	if st, err := root.Lstat(name); err != nil || !st.IsDir() || root.Chmod(name, 0o700) != nil {
		return
	}
	dir, err := root.Open(name)
	if err != nil {
		return
	}
	entries, _ := dir.ReadDir(-1)
	_ = dir.Close()
	for _, e := range entries {
		if e.IsDir() {
			openFolders(root, name+"/"+e.Name())
		}
	}
}
