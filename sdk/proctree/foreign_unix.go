//go:build linux || darwin

package proctree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// What runs in a tree may write into procs. Whatever it puts in the place of
// procs or of a record tells nothing and is removed, following no link: it must
// keep nobody from killing the tree, and a pipe would hold its reader for ever.
// The marks still find the tree.

// foreignLimit is how often the thing in a record's place is removed before
// it is given up: something puts it back as fast.
const foreignLimit = 100

// ownRecordDir removes what isn't a directory from the place of procs, and
// gives one that was closed to us back its mode.
func (f *Forest) ownRecordDir() error {
	st, err := os.Lstat(f.recordDir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !st.IsDir():
		return f.removeForeign(f.recordDir())
	case st.Mode().Perm()&0o700 != 0o700:
		return os.Chmod(f.recordDir(), 0o700)
	}
	return nil
}

// openRecord opens the file of a record; fs.ErrNotExist also if something else
// was in its place.
func (f *Forest) openRecord(path string) (*os.File, error) {
	if err := f.ownRecordDir(); err != nil {
		return nil, err
	}
	for range foreignLimit {
		st, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if !st.Mode().IsRegular() {
			if err := f.removeForeign(path); err != nil {
				return nil, err
			}
			continue
		}
		// Not to wait either, should it become a pipe just now.
		file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		switch {
		case errors.Is(err, fs.ErrPermission):
			if err := os.Chmod(path, 0o600); err != nil {
				return nil, err
			}
			continue
		case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENXIO):
			continue // it was replaced since we looked
		case err != nil:
			return nil, err
		}
		if st, err := file.Stat(); err == nil && st.Mode().IsRegular() {
			return file, nil
		}
		_ = file.Close()
	}
	return nil, fmt.Errorf("open %s: something replaces it again and again", path)
}

// removeForeign removes what lies in the state directory at path, links
// themselves and folders with all that is in them.
func (f *Forest) removeForeign(path string) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(f.dir, path)
	if err != nil {
		return err
	}
	return root.RemoveAll(rel)
}

// ownCgroupOnly forgets a record's cgroup if it isn't the one of its tree: all
// in it would be killed.
func (f *Forest) ownCgroupOnly(rec *record) {
	name, ours := strings.CutPrefix(filepath.Base(rec.Cgroup), cgroupPrefix)
	if !ours || !strings.HasPrefix(name, f.key+".") {
		rec.Cgroup = ""
	}
}
