package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// oddNames are all legal.
var oddNames = []string{"-rf", "a\nb", "\xff\xfe", " ", "é", `back\slash`, "'quote\"", ".hidden", strings.Repeat("n", 255)}

func write(t *testing.T, f sandbox.Files, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := f.Write(t.Context(), path, strings.NewReader(content), sandbox.WriteOptions{Mode: mode}); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, f sandbox.Files, path string, opts sandbox.ReadOptions) string {
	t.Helper()
	r, err := f.Read(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFilesRoundTrip(t *testing.T) {
	b := newBox(t)
	f := b.Files()
	for _, name := range oddNames {
		write(t, f, "odd/"+name, "in "+name, 0)
		if got := read(t, f, b.info.Root+"/odd/"+name, sandbox.ReadOptions{}); got != "in "+name {
			t.Errorf("%q: %q", name, got)
		}
		if info, err := f.Stat(t.Context(), "odd/"+name); err != nil || info.Name != name || info.Kind != sandbox.KindFile {
			t.Errorf("%q: %+v %v", name, info, err)
		}
	}
	list, err := f.List(t.Context(), "odd")
	if err != nil || len(list) != len(oddNames) {
		t.Errorf("list: %+v %v", list, err)
	}
	for i := range list[1:] {
		if list[i].Name >= list[i+1].Name {
			t.Errorf("not sorted: %q, %q", list[i].Name, list[i+1].Name)
		}
	}
	for _, opts := range []struct {
		sandbox.ReadOptions
		want string
	}{
		{sandbox.ReadOptions{Offset: 3}, "-rf"},
		{sandbox.ReadOptions{Limit: 2}, "in"},
		{sandbox.ReadOptions{Offset: 1, Limit: 3}, "n -"},
		{sandbox.ReadOptions{Offset: 100}, ""},
		{sandbox.ReadOptions{Limit: 2, Follow: true}, "in"},
	} {
		if got := read(t, f, "odd/-rf", opts.ReadOptions); got != opts.want {
			t.Errorf("%+v: %q, want %q", opts.ReadOptions, got, opts.want)
		}
	}
	for _, dir := range []string{b.info.StateDir, b.info.Root} {
		write(t, f, dir+"/x/y", "deep", 0)
		if got := read(t, f, dir+"/x/y", sandbox.ReadOptions{}); got != "deep" {
			t.Errorf("in %s: %q", dir, got)
		}
	}
}

func TestWriteIsAtomicAndKeepsTheMode(t *testing.T) {
	b := newBox(t)
	f := b.Files()
	mode := func() fs.FileMode {
		t.Helper()
		info, err := f.Stat(t.Context(), "file")
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode
	}
	write(t, f, "file", "one", 0)
	if mode() != 0o644 {
		t.Errorf("a new file has mode %o", mode())
	}
	write(t, f, "file", "two", 0o750)
	if mode() != 0o750 {
		t.Errorf("an explicit mode is %o", mode())
	}
	write(t, f, "file", "three", 0)
	if mode() != 0o750 {
		t.Errorf("the old mode became %o", mode())
	}
	broken := io.MultiReader(strings.NewReader("half"), failing{})
	if err := f.Write(t.Context(), "file", broken, sandbox.WriteOptions{}); err == nil {
		t.Error("a broken source is no error")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	wantClass(t, f.Write(canceled, "file", strings.NewReader("half"), sandbox.WriteOptions{}), sandbox.Canceled)
	if got := read(t, f, "file", sandbox.ReadOptions{}); got != "three" {
		t.Errorf("the old content became %q", got)
	}
	if got := names(t, b.info.Root); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
	wantClass(t, f.Write(t.Context(), ".", strings.NewReader(""), sandbox.WriteOptions{}), sandbox.Invalid)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.WriteFile(outside, []byte("kept"), 0o600), os.Symlink(outside, filepath.Join(b.info.Root, "link"))); err != nil {
		t.Fatal(err)
	}
	write(t, f, "link", "new", 0)
	if got, err := os.ReadFile(outside); string(got) != "kept" || err != nil {
		t.Errorf("written through a link: %q %v", got, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken source") }

func TestFollow(t *testing.T) {
	b := newBox(t)
	f := b.Files()
	path := filepath.Join(b.info.StateDir, "log")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	follow := func(ctx context.Context) io.ReadCloser {
		t.Helper()
		r, err := f.Read(ctx, path, sandbox.ReadOptions{Follow: true, Offset: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
	r := follow(t.Context())
	buf := make([]byte, 100)
	var slowest time.Duration
	_, _ = file.WriteString("xx")
	for i := range 50 {
		begun := time.Now()
		line := strings.Repeat("l", i+1)
		if _, err := file.WriteString(line); err != nil {
			t.Fatal(err)
		}
		n, err := io.ReadFull(r, buf[:len(line)])
		if err != nil || string(buf[:n]) != line {
			t.Fatalf("%q %v", buf[:n], err)
		}
		slowest = max(slowest, time.Since(begun))
	}
	t.Logf("slowest of 50: %v", slowest)
	t.Run("it ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := follow(ctx)
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("it ends with Close", func(t *testing.T) {
		r := follow(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { _ = r.Close() })
		if _, err := io.ReadAll(r); err == nil {
			t.Error("closed without an error")
		}
	})
	t.Run("it ends with the file, after all of it", func(t *testing.T) {
		r := follow(t.Context())
		_, _ = file.WriteString("last")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !strings.HasSuffix(string(got), "last") {
			t.Errorf("%q %v", got, err)
		}
	})
}

func TestFilesStayInside(t *testing.T) {
	b := newBox(t)
	f, root := b.Files(), b.info.Root
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("s"), 0o600), os.Symlink(outside, root+"/out"), os.Symlink("..", root+"/up"), os.Mkdir(root+"/a", 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		secret, "/etc/passwd", "/", root + "x", "../state/owner.json", "a/../../x", root + "/../../..", "out/secret", "up/state/owner.json", root + "/out/secret",
	} {
		t.Run(path, func(t *testing.T) {
			try := map[string]error{}
			_, try["read"] = f.Read(t.Context(), path, sandbox.ReadOptions{})
			_, try["stat"] = f.Stat(t.Context(), path+"/.")
			_, try["list"] = f.List(t.Context(), path)
			try["write"] = f.Write(t.Context(), path+"/w", strings.NewReader("x"), sandbox.WriteOptions{})
			try["mkdir"] = f.Mkdir(t.Context(), path+"/d", 0)
			try["chmod"] = f.Chmod(t.Context(), path, 0o777)
			try["pull"] = f.Pull(t.Context(), path+"/.", io.Discard)
			try["push"] = f.Push(t.Context(), path+"/p", bytes.NewReader(nil))
			try["rename"] = f.Rename(t.Context(), path, "stolen")
			for verb, err := range try {
				class := sandbox.ClassOf(err)
				if class != sandbox.Denied && (verb != "rename" && verb != "stat" && verb != "write" && verb != "mkdir" && verb != "push" || class != sandbox.NotFound && class != sandbox.Invalid) {
					t.Errorf("%s: class %q: %v", verb, class, err)
				}
			}
		})
	}
	if got := names(t, outside); len(got) != 1 {
		t.Errorf("outside: %q", got)
	}
}

func TestStatAndList(t *testing.T) {
	b := newBox(t)
	f := b.Files()
	write(t, f, "file", "12345", 0o640)
	if err := errors.Join(os.Symlink("nowhere", b.info.Root+"/link"), f.Mkdir(t.Context(), "dir/sub", 0o711)); err != nil {
		t.Fatal(err)
	}
	if got := run(t, b, sandbox.Command{Script: "mkfifo -m 600 pipe"}); got.exit.Code != 0 {
		t.Fatalf("%+v", got)
	}
	got, err := f.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if time.Since(got[i].ModTime) > time.Minute {
			t.Errorf("%s was modified %v", got[i].Name, got[i].ModTime)
		}
		got[i].ModTime = time.Time{}
		if got[i].Kind == sandbox.KindDir {
			got[i].Size = 0
		}
	}
	want := []sandbox.FileInfo{
		{Name: "dir", Kind: sandbox.KindDir, Mode: 0o755},
		{Name: "file", Kind: sandbox.KindFile, Mode: 0o640, Size: 5},
		{Name: "link", Kind: sandbox.KindLink, Mode: 0o777, Size: 7, Target: "nowhere"},
		{Name: "pipe", Kind: sandbox.KindOther, Mode: 0o600},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if info, err := f.Stat(t.Context(), "link"); err != nil || info.Kind != sandbox.KindLink {
		t.Errorf("%+v %v", info, err)
	}
	for _, path := range []string{"no", "no/such", "file/below"} {
		_, err := f.Stat(t.Context(), path)
		wantClass(t, err, sandbox.NotFound, path)
	}
	_, err = f.Stat(t.Context(), "nul\x00")
	wantClass(t, err, sandbox.Invalid)
	_, err = f.Read(t.Context(), "pipe", sandbox.ReadOptions{})
	wantClass(t, err, sandbox.Invalid, "pipe")
	_, err = f.Read(t.Context(), "dir", sandbox.ReadOptions{})
	wantClass(t, err, sandbox.Invalid, "dir")
}

func TestChanges(t *testing.T) {
	b := newBox(t)
	f, ctx := b.Files(), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(f.Mkdir(ctx, "a/b", 0o700))
	must(f.Mkdir(ctx, "a/b", 0o755))
	if info, err := f.Stat(ctx, "a/b"); err != nil || info.Mode != 0o700 {
		t.Errorf("mkdir of what is there changed it: %+v %v", info, err)
	}
	write(t, f, "a/b/file", "x", 0)
	wantClass(t, f.Mkdir(ctx, "a/b/file", 0), sandbox.Conflict)
	must(f.Chmod(ctx, "a/b/file", 0o600))
	must(f.Rename(ctx, "a/b/file", "a/moved"))
	must(f.Rename(ctx, "a/moved", b.info.Root+"/a/b/again"))
	wantClass(t, f.Rename(ctx, "no", "such"), sandbox.NotFound)
	wantClass(t, f.Rename(ctx, ".", "such"), sandbox.Invalid)
	if info, err := f.Stat(ctx, "a/b/again"); err != nil || info.Mode != 0o600 {
		t.Errorf("%+v %v", info, err)
	}
	must(f.Remove(ctx, "a"))
	must(f.Remove(ctx, "a"))
	_, err := f.Stat(ctx, "a")
	wantClass(t, err, sandbox.NotFound)
	for _, path := range []string{".", "", b.info.Root, b.info.Root + "/", b.info.StateDir, b.info.Home, "x/.."} {
		wantClass(t, f.Remove(ctx, path), sandbox.Invalid)
	}
}
