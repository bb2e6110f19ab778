package workspace

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// lay makes a tree: "d/" a folder, "l -> t" a link, "p |" a named pipe, "f x" a
// file with mode 0755, else a file that holds its own name.
func lay(t *testing.T, entries ...string) string {
	t.Helper()
	top := t.TempDir()
	layIn(t, top, entries...)
	return top
}

func layIn(t *testing.T, top string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		name, text, _ := strings.Cut(e, " = ")
		name, target, link := strings.Cut(name, " -> ")
		name, pipe := strings.CutSuffix(name, " |")
		name, program := strings.CutSuffix(name, " x")
		if text == "" {
			text = name
		}
		path := filepath.Join(top, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case link:
			err = os.Symlink(target, path)
		case pipe:
			err = syscall.Mkfifo(path, 0o644)
		default:
			if err = os.WriteFile(path, []byte(text), 0o644); err == nil && program {
				err = os.Chmod(path, 0o755)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func treeOf(t *testing.T, top string, ignore bool) *tree {
	t.Helper()
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &tree{ctx: t.Context(), path: top, top: root, ignore: ignore}
}

// packed is what the stream of a tree holds, one line a member.
func packed(t *testing.T, tr *tree) ([]string, error) {
	t.Helper()
	var buf bytes.Buffer
	if err := tr.pack(&buf, &amount{}); err != nil {
		return nil, err
	}
	var all []string
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		line := h.Name
		if h.Typeflag == tar.TypeSymlink {
			line += " -> " + h.Linkname
		}
		if h.Typeflag == tar.TypeReg {
			data, err := io.ReadAll(r)
			if err != nil || int64(len(data)) != h.Size {
				t.Fatal(err)
			}
			if h.FileInfo().Mode() == 0o755 {
				line += " x"
			}
		}
		all = append(all, line)
	}
}

func TestATreeIsCopiedAsItIs(t *testing.T) {
	long := strings.Repeat("n", 255)
	entries := []string{
		"-rf", "$(x)", "a\nb", "a b/", "a b/c x", "bad\xff\xfe", "d/in", "d/up -> ../-rf", "deep/er/file", long, "nowhere -> missing", "round -> round", "self -> .",
	}
	want := []string{
		"$(x)", "-rf", "a\nb", "a b/", "a b/c x", "bad\xff\xfe", "d/", "d/in", "d/up -> ../-rf", "deep/", "deep/er/", "deep/er/file", long, "nowhere -> missing", "round -> round", "self -> .",
	}
	got, err := packed(t, treeOf(t, lay(t, entries...), false))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoPartOfTheFolderIsRefusedByName(t *testing.T) {
	cases := []struct {
		name    string
		entries []string
		says    string
	}{
		{"a link up and out", []string{"d/l -> ../../x"}, "d/l: it is a link to ../../x, which is outside"},
		{"an absolute link", []string{"l -> /etc/passwd"}, "l: it is a link to /etc/passwd, an absolute path"},
		{"an absolute link inside", []string{"f", "l -> TOP/f"}, "an absolute path"},
		{"a link out by way of a link", []string{"a/b/up -> ../..", "l -> a/b/up/../x"}, "l: it is a link to a/b/up/../x, which leads out of the folder by way of another link"},
		{"a link to the folder's neighbour", []string{"l -> ../" + "neighbour"}, "outside"},
		{"a link through a link whose end is out", []string{"a/b/c/", "s -> a/b/c", "t/l -> ../s/../../../../x"}, "t/l: it is a link"},
		{"a named pipe", []string{"d/p |"}, "d/p: it is a named pipe"},
		{"a name that could be mistaken", []string{"a\nb |"}, `a\nb": it is a named pipe`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			for _, e := range c.entries {
				layIn(t, top, strings.ReplaceAll(e, "TOP", top))
			}
			tr := treeOf(t, top, false)
			_, err := tr.count()
			if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "gitignore = true") {
				t.Errorf("counted: %v", err)
			}
			if _, err := packed(t, tr); !errors.Is(err, sandbox.Invalid) {
				t.Errorf("packed: %v", err)
			}
		})
	}
}

func TestSocketsAndDevicesAreRefused(t *testing.T) {
	for _, name := range []string{"s", ".git/x"} {
		top := lay(t, ".git/HEAD")
		listen(t, filepath.Join(top, name))
		if _, err := treeOf(t, top, true).count(); err == nil || !strings.Contains(err.Error(), name+": it is a socket") {
			t.Errorf("%v", err)
		}
	}
	if _, err := treeOf(t, "/dev", false).count(); err == nil || !strings.Contains(err.Error(), "it is") {
		t.Errorf("/dev: %v", err)
	}
}

// listen makes a socket.
func listen(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}

func TestGitsOwnSocketIsLeftOut(t *testing.T) {
	top := lay(t, ".git/HEAD")
	listen(t, filepath.Join(top, ".git/fsmonitor--daemon.ipc"))
	got, err := packed(t, treeOf(t, top, false))
	if diff := cmp.Diff([]string{".git/", ".git/HEAD"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestGitignoreFilesLeaveOut(t *testing.T) {
	entries := []string{
		".gitignore = *.log\n!keep.log\n/top\nout/\n.git\n", "a.log", "keep.log", "top", "sub/top", "out/x", "out/keep.log", "sub/out = file", "pipe.log |",
		"sub/.gitignore = !a.log\nb\n", "sub/a.log", "sub/b/c", ".git/config", ".git/x.log", ".git/.gitignore = *", "sub/.git = gitdir: elsewhere",
	}
	cases := []struct {
		name   string
		ignore bool
		want   []string
	}{
		{"asked for", true, []string{
			".git/", ".git/.gitignore", ".git/config", ".git/x.log", ".gitignore", "keep.log", "sub/", "sub/.git", "sub/.gitignore", "sub/a.log", "sub/out", "sub/top",
		}},
		{"not asked for", false, nil}, // the pipe is no longer left out
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := packed(t, treeOf(t, lay(t, entries...), c.ignore))
			if (err == nil) != c.ignore {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAGitignoreFileThatIsALinkCountsForNothing(t *testing.T) {
	got, err := packed(t, treeOf(t, lay(t, "rules = *", ".gitignore -> rules"), true))
	if diff := cmp.Diff([]string{".gitignore -> rules", "rules"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
