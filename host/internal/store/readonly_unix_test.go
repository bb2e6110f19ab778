//go:build unix

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

func init() {
	// Root may write anywhere: the process becomes somebody else first.
	roles["open as nobody"] = func(ctx context.Context, path string, _ []string) error {
		if os.Geteuid() == 0 {
			if err := syscall.Setuid(nobody); err != nil {
				return err
			}
		}
		s, err := Open(ctx, path)
		if errors.Is(err, ErrReadOnly) {
			fmt.Println("read only")
		}
		if err != nil {
			return err
		}
		return s.Close()
	}
}

func TestOpenRefusesWhatItMayNotWrite(t *testing.T) {
	for _, tc := range []struct {
		name string
		made bool
		file string // what may not be written
		mode os.FileMode
	}{
		{"a folder without a store", false, ".", 0o500},
		{"a store in a folder", true, ".", 0o500},
		{"a store file", true, "store.db", 0o400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			must(t, os.Mkdir(home, 0o700))
			path := filepath.Join(home, "store.db")
			if tc.made {
				must(t, openSQLite(t, home).Close())
			}
			give(t, home)
			must(t, os.Chmod(filepath.Join(home, tc.file), tc.mode))
			t.Cleanup(func() { _ = os.Chmod(home, 0o700) })
			out, err := spawn(t, 1, "open as nobody", path, func(int) []string { return nil })[0].output()
			if err == nil || !strings.Contains(out, "read only") || !strings.Contains(out, path) {
				t.Fatalf("error %v, output %s", err, out)
			}
		})
	}
}

// give makes a folder and what is in it nobody's, and lets others through the folders above it.
func give(t *testing.T, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	must(t, filepath.Walk(home, func(path string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	}))
	for dir := filepath.Dir(home); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
}
