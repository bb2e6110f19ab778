package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func TestTheStateOfAFolderChangesWithWhatWouldBeCopied(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(1700000000, 0)); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b.txt", "one", 0o600)
	write(".git/index", "one", 0o600)
	write("state/store.db", "one", 0o600)
	w := What{Workspace: config.Workspace{Source: config.Source{Kind: "local", Path: dir}}, Skip: []string{filepath.Join(dir, "state")}}
	state := func() string {
		t.Helper()
		s, err := w.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	last := state()
	for _, c := range []struct {
		name    string
		do      func() error
		changes bool
	}{
		{"nothing", func() error { return nil }, false},
		{"git's index", func() error { write(".git/index", "another", 0o600); return nil }, false},
		{"what isn't copied", func() error { write("state/store.db", "another", 0o600); return nil }, false},
		{"a file's size", func() error { write("a/b.txt", "three", 0o600); return nil }, true},
		{"a file's time", func() error { return os.Chtimes(filepath.Join(dir, "a/b.txt"), time.Time{}, time.Unix(1700000001, 0)) }, true},
		{"a file's mode", func() error { return os.Chmod(filepath.Join(dir, "a/b.txt"), 0o700) }, true},
		{"a new folder", func() error { return os.Mkdir(filepath.Join(dir, "c"), 0o700) }, true},
		{"a link", func() error { return os.Symlink("a", filepath.Join(dir, "d")) }, true},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		now := state()
		if (now != last) != c.changes {
			t.Errorf("%s: from %s to %s", c.name, last, now)
		}
		last = now
	}
	w.Workspace.Source.Path = filepath.Join(dir, "none")
	if s, err := w.State(t.Context()); err == nil {
		t.Errorf("a folder that isn't there has the state %q", s)
	}
	if s, err := (What{}).State(t.Context()); err != nil || s != "" {
		t.Errorf("no source: %q, %v", s, err)
	}
}
