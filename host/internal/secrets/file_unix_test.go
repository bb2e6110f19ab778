//go:build unix

package secrets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestANamedPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problem := resolved(t, Source{File: path, Redact: true}); !strings.Contains(problem, "no regular file but a named pipe") {
		t.Errorf("got %q", problem)
	}
}

func TestALinkToAFileIsFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "real"), []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if value, problem := resolved(t, Source{File: filepath.Join(dir, "link"), Redact: true}); value != canary {
		t.Errorf("got %q, %q", value, problem)
	}
}

func TestWhoElseCanReadAFileIsTold(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "folder")
	path := filepath.Join(folder, "token")
	open := func(folderMode, fileMode os.FileMode) string {
		t.Helper()
		for name, mode := range map[string]os.FileMode{folder: folderMode, path: fileMode} {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		return Source{File: path}.Exposed()
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	for above := top; above != filepath.Dir(above); above = filepath.Dir(above) { // else nothing below is open to anybody
		if info, err := os.Stat(above); err == nil && info.Mode().Perm()&1 == 0 && strings.HasPrefix(above, os.TempDir()) && above != os.TempDir() {
			if err := os.Chmod(above, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := open(0o755, 0o644), "every user of this machine can read the file "+path+" (mode 0644)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := open(0o700, 0o644); got != "" {
		t.Errorf("in a private folder: got %q", got)
	}
	if got := open(0o755, 0o640); got != "" {
		t.Errorf("of a group: got %q", got)
	}
	if got := (Source{Env: "X"}).Exposed(); got != "" {
		t.Errorf("of a variable: got %q", got)
	}
}

func TestWhatHidesAFileIsOneCommand(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/.key-1": "chmod o-r /home/ann/.key-1",
		"/a b/it's $X":     `chmod o-r '/a b/it'\''s $X'`,
	} {
		if got := (Source{File: path}).Hide(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
