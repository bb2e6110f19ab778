//go:build unix

package store

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOpenRefusesAPipeAndSaysWhy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	must(t, unix.Mkfifo(path, 0o600))
	_, err := Open(t.Context(), path)
	wantErr(t, err, ErrCantOpen)
	if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("%q doesn't tell what is wrong with which file", err)
	}
}
