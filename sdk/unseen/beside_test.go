package unseen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAFileMayHaveAnotherNameMeanwhile is of file systems that have no files
// without names.
func TestAFileMayHaveAnotherNameMeanwhile(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	begin := func() *File {
		t.Helper()
		f, err := create(root, "file", func(*os.Root, string) (*os.File, *nameless, error) { return nil, nil, errors.ErrUnsupported })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		return f
	}
	only := func() string {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Fatalf("there are %v, %v", entries, err)
		}
		return entries[0].Name()
	}

	f := begin()
	if name := only(); !strings.HasPrefix(name, Prefix) {
		t.Errorf("its name is %q", name)
	}
	modified := time.Unix(1_000_000_000, 0)
	if err := errors.Join(f.Place(modified), f.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, only()))
	if err != nil || info.Name() != "file" || !info.ModTime().Equal(modified) {
		t.Errorf("got %v, %v", info, err)
	}
	if err := begin().Close(); err != nil {
		t.Error(err)
	}
	if name := only(); name != "file" {
		t.Errorf("left: %q", name)
	}
}
