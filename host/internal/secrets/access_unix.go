//go:build unix

package secrets

import (
	"io/fs"
	"os"
	"path/filepath"
)

// othersRead reports whether users who are neither the owner of a file nor in its
// group can read it: by its mode, and those of the folders above.
func othersRead(path string) (fs.FileMode, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return 0, false
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm()&0o004 == 0 {
		return 0, false
	}
	for folder := filepath.Dir(real); ; folder = filepath.Dir(folder) {
		above, err := os.Stat(folder)
		if err != nil || above.Mode().Perm()&0o001 == 0 {
			return 0, false
		}
		if folder == filepath.Dir(folder) {
			return info.Mode().Perm(), true
		}
	}
}
