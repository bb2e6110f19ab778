package format

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// Find lists the files that a path stands for: a file itself, whatever its name; of
// a folder the files that config would read in it, of one with recursive also those
// of its subfolders. In a folder, names that begin with a dot don't count, and links
// to folders aren't followed.
func Find(path string, recursive bool) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find files: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var found []string
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		hidden := at != path && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || at != path && !recursive):
			return filepath.SkipDir
		case !d.IsDir() && config.IsSource(d.Name()):
			if to, err := os.Stat(at); err == nil && to.IsDir() {
				return nil // a link
			}
			found = append(found, at)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find files: %w", err)
	}
	return found, nil
}
