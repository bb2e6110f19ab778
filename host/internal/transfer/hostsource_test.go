//go:build unix

package transfer

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// given is what a source gives out: the content of files, "-> target" of links,
// "/" of folders.
func given(t *testing.T, s HostSource, name string, job *Job) (map[string]string, error) {
	t.Helper()
	all := map[string]string{}
	err := s.each(t.Context(), name, job, func(h *tar.Header, body io.Reader) error {
		switch h.Typeflag {
		case tar.TypeReg:
			data, err := io.ReadAll(body)
			if int64(len(data)) != h.Size {
				t.Errorf("%s has %d bytes, and says %d", h.Name, len(data), h.Size)
			}
			all[h.Name] = string(data)
			return err
		case tar.TypeSymlink:
			all[h.Name] = "-> " + h.Linkname
		default:
			all[h.Name] = "/"
		}
		return nil
	})
	return all, err
}

// tree makes a folder "src" beside a secret.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"secret": "mine", "src/file": "1", "src/sub/f\xff": "2"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"src/out": "../secret", "src/folder": "..", "src/nowhere": "/no/such", "link": "src"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "src", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestATreeOfThisMachineIsGivenWithoutFollowingLinks(t *testing.T) {
	dir := tree(t)
	inside := map[string]string{"file": "1", "sub/": "/", "sub/f\xff": "2", "out": "-> ../secret", "folder": "-> ..", "nowhere": "-> /no/such"}
	named := map[string]string{"to/": "/"}
	for name, what := range inside {
		named["to/"+name] = what
	}
	tests := []struct {
		name, path, as string
		want           map[string]string
		note           string
	}{
		{"under a name", "src", "to", named, "pipe left out: it is a named pipe"},
		{"what it holds", "src/.", "", inside, "pipe left out: it is a named pipe"},
		{"a link to it is a link", "link", "to", map[string]string{"to": "-> src"}, ""},
		{"with a slash, a link to it is it", "link/", "to", named, "pipe left out: it is a named pipe"},
		{"one file", "src/file", "to", map[string]string{"to": "1"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var notes []string
			job := &Job{Note: func(name, what string) { notes = append(notes, name+" "+what) }}
			got, err := given(t, HostSource{Path: tt.path, Dir: dir}, tt.as, job)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got := strings.Join(notes, ";"); got != tt.note {
				t.Errorf("notes: %q, want %q", got, tt.note)
			}
		})
	}
}

func TestWhatOfThisMachineIsNotCopied(t *testing.T) {
	dir := tree(t)
	tests := []struct {
		name, path, skip string
		class            sandbox.Class
		says             string
	}{
		{"what isn't there", "nope", "", sandbox.NotFound, `copy "nope": no such file or directory`},
		{"what isn't there, in a folder that isn't", "nope/nope", "", sandbox.NotFound, `copy "nope/nope"`},
		{"a pipe", "src/pipe", "", sandbox.Invalid, "it is a named pipe"},
		{"a file as a folder", "src/file/.", "", sandbox.Invalid, "not a directory"},
		{"a folder that holds the sandbox", "src", filepath.Join(dir, "src", "sub"), sandbox.Invalid, "it would be copied into itself"},
		{"a folder that is the sandbox", "link/", filepath.Join(dir, "src"), sandbox.Invalid, "it would be copied into itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := HostSource{Path: tt.path, Dir: dir, Skip: tt.skip}.look(t.Context())
			if sandbox.ClassOf(err) != tt.class || err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("class %q, want %q: %v", sandbox.ClassOf(err), tt.class, err)
			}
		})
	}
}

func TestAFileThatShrinksWhileItIsReadIsTold(t *testing.T) {
	dir := tree(t)
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	err := HostSource{Path: "big", Dir: dir}.each(t.Context(), "big", &Job{}, func(_ *tar.Header, body io.Reader) error {
		if err := os.Truncate(big, 10); err != nil {
			t.Fatal(err)
		}
		_, err := io.Copy(io.Discard, body)
		return err
	})
	if sandbox.ClassOf(err) != sandbox.Conflict || !strings.Contains(err.Error(), "it shrank from 1048576 to 10 bytes") {
		t.Errorf("error: %v", err)
	}
}
