//go:build linux

package script

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// dependOnSources has the test cache know what the programs are built from: what
// `go build` reads in its own process it doesn't see, and would then take the
// result of old programs for that of new ones.
func dependOnSources(t *testing.T) {
	t.Helper()
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"go.mod", "go.sum", "host", "sdk", "plugins", "harnesses", "examples"} {
		err := filepath.WalkDir(filepath.Join(top, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && slices.Contains([]string{".go", ".mod", ".sum", ".sh", ".sql"}, filepath.Ext(path)) {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
