//go:build unix

package store

import (
	"errors"
	"os"
	"path"
)

// syncDir makes the names in a folder, and its own name in the folders above, survive a power cut.
func syncDir(root *os.Root, name string) error {
	for dir := name; ; dir = path.Dir(dir) {
		f, err := root.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		if dir == "." {
			return nil
		}
	}
}
