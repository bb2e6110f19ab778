package localfiles_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// machine has a root, a folder beside it, and links as images have them.
func machine(t *testing.T) (f sandbox.Files, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.MkdirAll(dir+"/root/sub", 0o755), os.MkdirAll(dir+"/run/kept", 0o755), os.Mkdir(dir+"/var", 0o755),
		os.WriteFile(dir+"/run/file", []byte("content"), 0o640), os.WriteFile(dir+"/root/here", []byte("content"), 0o600),
		os.Symlink(dir+"/run", dir+"/var/run"), os.Symlink(dir+"/var/run/file", dir+"/root/link"), os.Symlink(dir+"/nothing/at/all", dir+"/root/nowhere"),
		syscall.Mkfifo(dir+"/root/pipe", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return localfiles.New(localfiles.Machine{Root: dir + "/root", Keep: []string{dir + "/run/kept"}}), dir
}

func content(ctx context.Context, f sandbox.Files, path string) (string, error) {
	r, err := f.Read(ctx, path, sandbox.ReadOptions{})
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

// A machine of its own has no folder that isn't served: links lead where the
// kernel says.
func TestEveryPathOfAMachineIsServed(t *testing.T) {
	f, dir := machine(t)
	long := "root/" + strings.Repeat(strings.Repeat("n", 250)+"/", 20) + "file"
	for _, path := range []string{
		"here", "./here", "sub/../here", "link", dir + "/root/here", dir + "/run/file", dir + "/var/run/file", dir + "//var/./run/file", dir + "/var/run/../run/file",
		dir + "/" + long,
	} {
		if strings.HasSuffix(path, long) {
			if err := f.Write(t.Context(), path, strings.NewReader("content"), sandbox.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := content(t.Context(), f, path); got != "content" || err != nil {
			t.Errorf("%.100s: %q, %v", path, got, err)
		}
	}
	if err := f.Write(t.Context(), dir+"/var/run/new/deep/file", strings.NewReader("x"), sandbox.WriteOptions{}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(dir + "/run/new/deep/file"); string(got) != "x" || err != nil {
		t.Errorf("written through a link: %q, %v", got, err)
	}
	if err := f.Write(t.Context(), "link", strings.NewReader("mine"), sandbox.WriteOptions{}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(dir + "/run/file"); string(got) != "content" || err != nil {
		t.Errorf("a write followed a link: %q, %v", got, err)
	}
	if list, err := f.List(t.Context(), dir+"/var/run"); len(list) != 3 || err != nil {
		t.Errorf("list through a link: %v, %v", list, err)
	}
	if st, err := f.Stat(t.Context(), dir+"/var/run"); st.Kind != sandbox.KindLink || st.Target != dir+"/run" || err != nil {
		t.Errorf("stat of a link: %v, %v", st, err)
	}
	if st, err := f.Stat(t.Context(), "/"); st.Kind != sandbox.KindDir || err != nil {
		t.Errorf("stat of the uppermost folder: %v, %v", st, err)
	}
	if err := f.Rename(t.Context(), "here", dir+"/var/run/moved"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/run/moved"); err != nil {
		t.Error(err)
	}
}

func TestWhatAMachineRefusesHasItsClass(t *testing.T) {
	f, dir := machine(t)
	ctx := t.Context()
	read := func(path string) func() error {
		return func() error { _, err := content(ctx, f, path); return err }
	}
	remove := func(path string) func() error { return func() error { return f.Remove(ctx, path) } }
	for _, c := range []struct {
		name string
		call func() error
		want sandbox.Class
	}{
		{"a file that is absent", read("none"), sandbox.NotFound},
		{"a folder that is absent", read("none/none"), sandbox.NotFound},
		{"a link to nowhere", read("nowhere"), sandbox.NotFound},
		{"a path through a link to nowhere", read("nowhere/x"), sandbox.NotFound},
		{"a path through a file", read("here/x"), sandbox.NotFound},
		{"a path through a pipe", read("pipe/x"), sandbox.NotFound},
		{"a pipe", read("pipe"), sandbox.Invalid},
		{"a folder", read("sub"), sandbox.Invalid},
		{"a NUL byte", read("he\x00re"), sandbox.Invalid},
		{"the root removed", remove("."), sandbox.Invalid},
		{"the root removed by another way", remove("sub/.."), sandbox.Invalid},
		{"what holds the root", remove(dir), sandbox.Invalid},
		{"the uppermost folder", remove("/"), sandbox.Invalid},
		{"a kept folder behind a link", remove(dir + "/var/run/kept"), sandbox.Invalid},
		{"a folder named by a dot", remove("sub/."), sandbox.Invalid},
		{"an absent file removed", remove("none/none"), ""},
		{"a link removed", remove(dir + "/var/run"), ""},
		{"a rename of the root", func() error { return f.Rename(ctx, ".", "x") }, sandbox.Invalid},
		{"a rename to another file system", func() error { return f.Rename(ctx, "here", "/proc/never") }, sandbox.Invalid},
		{"a folder made where a file is", func() error { return f.Mkdir(ctx, "here", 0) }, sandbox.Conflict},
		{"a list of a file", func() error { _, err := f.List(ctx, "here"); return err }, sandbox.Invalid},
	} {
		if err := c.call(); sandbox.ClassOf(err) != c.want {
			t.Errorf("%s: %v (%s), want %q", c.name, err, sandbox.ClassOf(err), c.want)
		}
	}
	if _, err := os.Stat(dir + "/run/kept"); err != nil {
		t.Error(err)
	}
}
