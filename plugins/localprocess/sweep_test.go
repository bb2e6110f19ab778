package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheNextCreateRemovesWhatAKilledOneLeft(t *testing.T) {
	p := newTest(t, config{})
	left := filepath.Join(p.folder(), ".new-123", "root")
	removing := filepath.Join(p.folder(), ".gone-1-abc")
	old := filepath.Join(p.folder(), ".gone-0-abc")
	for _, dir := range []string{left, removing, old} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	create(t, p)
	for _, dir := range []string{filepath.Dir(left), old} {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
	if _, err := os.Lstat(removing); err != nil {
		t.Errorf("what another process may be removing is touched: %v", err)
	}
}
