package main

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestPullPush(t *testing.T) {
	b := newBox(t)
	f, ctx := b.Files(), t.Context()
	for _, name := range oddNames {
		write(t, f, "from/"+name, "in "+name, 0o640)
		write(t, f, "from/sub/"+name, strings.Repeat(name, 1000), 0)
	}
	if err := f.Mkdir(ctx, "from/empty", 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/\xffno", b.info.Root+"/from/link"); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := f.Pull(ctx, "from", &stream); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time over the first
		if err := f.Push(ctx, "to/here", bytes.NewReader(stream.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tree(t, b.info.Root+"/from"), tree(t, b.info.Root+"/to/here")); diff != "" {
		t.Error(diff)
	}
	stream.Reset()
	if err := f.Pull(ctx, "from/-rf", &stream); err != nil {
		t.Fatal(err)
	}
	if h, err := tar.NewReader(&stream).Next(); err != nil || h.Name != "-rf" {
		t.Errorf("one file: %+v %v", h, err)
	}
	wantClass(t, f.Pull(ctx, "no", &stream), sandbox.NotFound)
}

// tree describes a folder: mode, and content or target of each entry.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			what, _ = os.Readlink(path)
		}
		out[strings.TrimPrefix(path, dir)] = info.Mode().String() + " " + info.ModTime().Round(0).String()[:10] + " " + what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPushRefusesHostileMembers(t *testing.T) {
	outside := t.TempDir()
	file := func(name string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 1, Mode: 0o644}
	}
	link := func(name, target string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
	}
	tests := []struct {
		name    string
		members []tar.Header
	}{
		{"an absolute name", []tar.Header{file(outside + "/x")}},
		{"a name that goes up", []tar.Header{file("../x")}},
		{"a name that goes up in the middle", []tar.Header{file("a/../../x")}},
		{"a file through a link", []tar.Header{link("l", outside), file("l/x")}},
		{"a folder through a link", []tar.Header{link("l", outside), {Name: "l/d/", Typeflag: tar.TypeDir, Mode: 0o755}}},
		{"a file through two links", []tar.Header{link("l", "m"), link("m", "../.."), file("l/x")}},
		{"a hard link to what is outside", []tar.Header{{Name: "h", Typeflag: tar.TypeLink, Linkname: outside + "/kept"}}},
		{"a hard link that goes up", []tar.Header{{Name: "h", Typeflag: tar.TypeLink, Linkname: "../../state/owner.json"}}},
		{"a hard link through a link", []tar.Header{link("l", outside), {Name: "h", Typeflag: tar.TypeLink, Linkname: "l/kept"}}},
		{"a device", []tar.Header{{Name: "d", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}}},
		{"a pipe", []tar.Header{{Name: "p", Typeflag: tar.TypeFifo}}},
	}
	if err := os.WriteFile(outside+"/kept", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t)
			var stream bytes.Buffer
			w := tar.NewWriter(&stream)
			for _, h := range tt.members {
				if err := w.WriteHeader(&h); err != nil {
					t.Fatal(err)
				}
				if h.Size > 0 {
					if _, err := w.Write([]byte("x")); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			wantClass(t, b.Files().Push(t.Context(), "to", &stream), sandbox.Invalid, tt.members[len(tt.members)-1].Name)
			if got := names(t, outside); len(got) != 1 {
				t.Errorf("outside: %q", got)
			}
			if got := names(t, b.info.Root); len(got) != 1 {
				t.Errorf("beside: %q", got)
			}
		})
	}
	t.Run("a link is replaced, not written through", func(t *testing.T) {
		b := newBox(t)
		var stream bytes.Buffer
		w := tar.NewWriter(&stream)
		l, x := link("l", outside+"/kept"), file("l")
		if err := w.WriteHeader(&l); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&x); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte("x"))
		_ = w.Close()
		if err := b.Files().Push(t.Context(), ".", &stream); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(outside + "/kept"); err != nil || len(got) > 0 {
			t.Errorf("%q %v", got, err)
		}
	})
	t.Run("a torn stream", func(t *testing.T) {
		b := newBox(t)
		wantClass(t, b.Files().Push(t.Context(), "to", strings.NewReader("this is no tar stream at all"+strings.Repeat("x", 1000))), sandbox.Invalid)
	})
}
