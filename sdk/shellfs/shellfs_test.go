//go:build unix

package shellfs_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// onEach runs a test in each shell.
func onEach(t *testing.T, test func(t *testing.T, b *box)) {
	t.Helper()
	for _, s := range shells(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newBox(t, s))
		})
	}
}

// onPrograms is onEach without BusyBox, whose shell has its programs built in:
// no other takes their place, and none is missing.
func onPrograms(t *testing.T, test func(t *testing.T, b *box)) {
	t.Helper()
	for _, s := range shells(t)[:2] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newBox(t, s))
		})
	}
}

func write(t *testing.T, b *box, path, content string) {
	t.Helper()
	if err := b.Files().Write(t.Context(), path, strings.NewReader(content), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, b *box, path string) string {
	t.Helper()
	r, err := b.Files().Read(t.Context(), path, sandbox.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func wantClass(t *testing.T, err error, class sandbox.Class, words ...string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Errorf("class %q, want %q: %v", sandbox.ClassOf(err), class, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the message doesn't say %q: %v", w, err)
		}
	}
}

// names is what lies in the root.
func names(t *testing.T, b *box) string {
	t.Helper()
	entries, err := os.ReadDir(b.Root)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// tree is a tar stream of one file.
func tree(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))})
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestATimeHasItsFractionOfASecond(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		path := filepath.Join(b.Root, "file")
		want := time.Unix(1_700_000_000, 123_456_789)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, want, want)); err != nil {
			t.Fatal(err)
		}
		got, err := b.Files().Stat(t.Context(), "file")
		if err != nil || !got.ModTime.Equal(want) {
			t.Errorf("%v, %v; want %v", got.ModTime, err, want)
		}
	})
}

// A path that the system doesn't take at once is still one.
func TestAPathLongerThanTheSystemTakesWorks(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		deep := strings.Repeat(strings.Repeat("d", 250)+"/", 20)
		write(t, b, deep+"file", "deep")
		if got := read(t, b, deep+"file"); got != "deep" {
			t.Errorf("it holds %q", got)
		}
		if list, err := b.Files().List(t.Context(), deep); err != nil || len(list) != 1 || list[0].Name != "file" {
			t.Errorf("listed %+v, %v", list, err)
		}
		_, err := b.Files().Stat(t.Context(), deep+"missing")
		wantClass(t, err, sandbox.NotFound)
		_, err = b.Files().Stat(t.Context(), strings.Replace(deep, "d/d", "d/x", 1))
		wantClass(t, err, sandbox.NotFound)
		err = b.Files().Remove(t.Context(), strings.Repeat("d", 250))
		if strings.HasPrefix(t.Name(), "TestAPathLongerThanTheSystemTakesWorks/BusyBox") {
			wantClass(t, err, sandbox.Invalid) // its rm has that limit
		} else if err != nil || names(t, b) != "" {
			t.Errorf("remove: %v, left %q", err, names(t, b))
		}
	})
}

func TestNamesTooLongAreInvalid(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		name := strings.Repeat("n", 300)
		_, err := b.Files().Stat(t.Context(), name)
		wantClass(t, err, sandbox.Invalid, "File name too long")
		err = b.Files().Write(t.Context(), name, strings.NewReader("x"), sandbox.WriteOptions{})
		wantClass(t, err, sandbox.Invalid, "File name too long")
		err = b.Files().Mkdir(t.Context(), strings.Repeat("x/", 40_000), 0o755)
		wantClass(t, err, sandbox.Invalid, "80")
		if got := names(t, b); got != "" {
			t.Errorf("left %q", got)
		}
	})
}

// An isolated sandbox's files are all its own.
func TestAnIsolatedSandboxServesAllOfItsFiles(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		b.info.Isolation = sandbox.IsolationContainer
		outside := folder(t)
		write(t, b, outside+"/new/file", "x")
		if err := os.Symlink(outside, filepath.Join(b.Root, "link")); err != nil {
			t.Fatal(err)
		}
		if got := read(t, b, "link/new/../new/file"); got != "x" {
			t.Errorf("through the link %q", got)
		}
		if info, err := b.Files().Stat(t.Context(), "/"); err != nil || info.Kind != sandbox.KindDir {
			t.Errorf("the root of all is %+v, %v", info, err)
		}
		for _, kept := range []string{"/", b.Root, filepath.Dir(b.Root), b.Home + "/../", b.Root + "/.."} {
			wantClass(t, b.Files().Remove(t.Context(), kept), sandbox.Invalid)
		}
		if err := b.Files().Remove(t.Context(), outside+"/new"); err != nil {
			t.Error(err)
		}
	})
}
