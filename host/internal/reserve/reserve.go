package reserve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// What a removal needs at most: pages of the store's log, its index in memory, a
// plugin's socket, notes of what goes.
const (
	files    = 32
	fileSize = 64 << 10
)

// folder is the reserve's name in the host's folder.
const folder = "reserve"

// half begins the name of one that is being made.
const half = ".reserve-"

// Keep makes the reserve in an existing folder unless it is there. On a disk that
// hasn't room for it twice it makes none: it would be in the way.
func Keep(home string) error {
	name := filepath.Join(home, folder)
	if _, err := os.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.MkdirTemp(home, half)
	if err != nil {
		return fmt.Errorf("keep reserve: %w", err)
	}
	defer os.RemoveAll(tmp)           // after a rename there is nothing
	content := make([]byte, fileSize) // what no file system makes smaller
	_, _ = rand.Read(content)         // it never fails
	kept := filepath.Join(tmp, folder)
	err = errors.Join(os.Mkdir(kept, 0o700), os.Mkdir(filepath.Join(tmp, "again"), 0o700))
	for _, dir := range []string{kept, filepath.Join(tmp, "again")} {
		if err == nil {
			err = fillUp(dir, content)
		}
	}
	if err == nil {
		err = os.Rename(kept, name)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // somebody else's is as good
		return fmt.Errorf("keep reserve: %w", err)
	}
	return nil
}

// fillUp writes the files.
func fillUp(dir string, content []byte) error {
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Use gives the reserve up if the disk of the host's folder takes no more, and
// removes what a Keep that was killed has left. It reports whether the disk is
// full.
func Use(home string) (full bool, err error) {
	if full = !takes(home); !full {
		return false, nil
	}
	left, _ := filepath.Glob(filepath.Join(home, half+"*")) // the pattern is right
	for _, name := range append(left, filepath.Join(home, folder)) {
		err = errors.Join(err, os.RemoveAll(name))
	}
	if err != nil {
		return true, fmt.Errorf("use reserve: %w", err)
	}
	return true, nil
}

// enough is how much a disk must take, in as many files, not to count as full.
const (
	enough      = 512 << 10
	enoughFiles = 8
)

// takes tries whether the disk takes more. Whatever is in its way, only what lacks
// room counts.
func takes(home string) bool {
	dir, err := os.MkdirTemp(home, half)
	for i := 0; err == nil && i < enoughFiles; i++ {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), make([]byte, enough/enoughFiles), 0o600)
	}
	if dir != "" {
		_ = os.RemoveAll(dir) // the next Use finds it
	}
	return !Full(err)
}
