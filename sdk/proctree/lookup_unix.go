//go:build !windows

package proctree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// program finds the file of Argv[0] as a shell in Dir with Env would: the
// process's own PATH counts, not the caller's.
func (s Spec) program() (string, error) {
	name := s.Argv[0]
	if strings.Contains(name, "/") {
		return name, runnable(s.inDir(name), name)
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, e := range s.Env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	best := fmt.Errorf("%w: %s is not in PATH", ErrNotFound, name)
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		file := s.inDir(filepath.Join(dir, name))
		err := runnable(file, name)
		if err == nil {
			return file, nil
		}
		if errors.Is(err, ErrNotExecutable) {
			best = err
		}
	}
	return "", best
}

func (s Spec) inDir(path string) string {
	if filepath.IsAbs(path) || s.Dir == "" {
		return path
	}
	return filepath.Join(s.Dir, path)
}

func runnable(file, name string) error {
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %s: %w", ErrNotExecutable, name, err)
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrNotFound, name, err)
	case st.IsDir():
		return fmt.Errorf("%w: %s is a directory", ErrNotExecutable, name)
	case st.Mode()&0o111 == 0:
		return fmt.Errorf("%w: %s has no execute permission", ErrNotExecutable, name)
	}
	return nil
}
