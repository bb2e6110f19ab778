package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// makeFile makes an empty file with mode 0600 and its folder with 0700, or takes others' access away from a file that
// is there. SQLite gives its journal the mode of the database.
//
// The file is made under another name and linked: POSIX drops all locks of a process on a file when any descriptor of
// it is closed, so a file that another Store of this process may hold already must never be opened here.
func makeFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder of store %s: %w", path, err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil:
		return tighten(path, info)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at store %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(dir, ".store-*") // 0600
	if err != nil {
		return fmt.Errorf("make store %s: %w: %w", path, ErrReadOnly, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("make store %s: %w", path, err)
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make store %s: %w", path, err)
	}
	return nil
}

func tighten(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return fmt.Errorf("open store %s: %w: it is a folder", path, ErrCantOpen)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("open store %s: %w: it is not a regular file", path, ErrCantOpen)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
		return fmt.Errorf("close store %s to other users: %w", path, err)
	}
	return nil
}
