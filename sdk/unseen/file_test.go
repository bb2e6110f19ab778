package unseen_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/unseen"
)

func begin(t *testing.T, dir, name string) *unseen.File {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	f, err := unseen.Create(root, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestAFileIsPlacedWhole(t *testing.T) {
	cases := []struct {
		name  string
		stand func(t *testing.T, path string)
	}{
		{"where nothing was", func(*testing.T, string) {}},
		{"in the place of a file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"in the place of a link that leads nowhere", func(t *testing.T, path string) {
			if err := os.Symlink("/nowhere", path); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			c.stand(t, path)
			f := begin(t, dir, "file")
			if err := f.Chmod(0o640); err != nil {
				t.Fatal(err)
			}
			modified := time.Unix(1_000_000_000, 0)
			if err := f.Place(modified); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"file"}, names(t, dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			data, err := os.ReadFile(path)
			info, statErr := os.Lstat(path)
			if err != nil || statErr != nil {
				t.Fatal(err, statErr)
			}
			if string(data) != "new" || info.Mode() != 0o640 || !info.ModTime().Equal(modified) {
				t.Errorf("it holds %q, with mode %s of %s", data, info.Mode(), info.ModTime())
			}
		})
	}
}

func TestAFileThatIsGivenUpLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := begin(t, dir, "file").Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"file"}, names(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(data) != "old" {
		t.Errorf("it holds %q, %v", data, err)
	}
}

func TestAFileThatCannotBePlacedIsAnError(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, "file")
	if err := os.MkdirAll(filepath.Join(dir, "file", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.Place(time.Time{}); err == nil {
		t.Error("it took the place of a folder")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"file"}, names(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFileNeedsAFolderUnderItsRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"none/file", "out/file", "../file"} {
		if f, err := unseen.Create(root, name); err == nil {
			_ = f.Close()
			t.Errorf("%s was made", name)
		}
	}
}
