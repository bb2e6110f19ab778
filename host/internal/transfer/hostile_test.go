//go:build unix

package transfer

import (
	"archive/tar"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWhatASandboxSendsStaysInTheTarget(t *testing.T) {
	deep := strings.Repeat("d/", 3000)
	tests := []struct {
		name    string
		members []member
		class   sandbox.Class // empty: it goes well
		says    string        // in the error
		notes   []string
		files   map[string]string // in dst, afterwards
	}{
		{
			name: "a name with two dots", members: []member{{name: "ok", body: "1"}, {name: "../../outside", body: "theirs"}},
			class: sandbox.Invalid, says: `"got/../../outside", which leads out`, files: map[string]string{"got/ok": "1"},
		},
		{
			name: "two dots in the middle", members: []member{{name: "a/../../../outside", body: "theirs"}},
			class: sandbox.Invalid, says: "leads out",
		},
		{
			name: "a link and a file behind it", members: []member{
				{name: "dir", kind: tar.TypeSymlink, link: "../.."}, {name: "dir/outside", body: "theirs"},
			},
			class: sandbox.Unavailable, says: `write "got/dir/outside"`,
			notes: []string{`got/dir is a link that leads out of what is copied, to "../.."`},
		},
		{
			name: "an absolute link and a file behind it", members: []member{
				{name: "dir", kind: tar.TypeSymlink, link: "/tmp"}, {name: "dir/sandlot-hostile-file", body: "theirs"},
			},
			class: sandbox.Unavailable, says: "sandlot-hostile-file",
			notes: []string{`got/dir is a link that leads out of what is copied, to "/tmp"`},
		},
		{
			name: "a link and a file of its name", members: []member{
				{name: "f", kind: tar.TypeSymlink, link: "../../outside"}, {name: "f", body: "theirs"},
			},
			files: map[string]string{"got/f": "theirs"}, notes: []string{`got/f is a link that leads out of what is copied, to "../../outside"`},
		},
		{
			name: "a second name of a file that wasn't sent", members: []member{{name: "f", kind: tar.TypeLink, link: "../../outside"}},
			class: sandbox.Invalid, says: "leads out",
		},
		{
			name: "a second name of a file that was there before", members: []member{{name: "f", kind: tar.TypeLink, link: "../before"}},
			class: sandbox.Invalid, says: "leads out",
		},
		{
			name: "a second name of one that was sent", members: []member{{name: "a", body: "1"}, {name: "b", kind: tar.TypeLink, link: "a"}},
			files: map[string]string{"got/a": "1", "got/b": "1"},
		},
		{
			name: "a file twice, and two names of one file", members: []member{
				{name: "a", body: "1"}, {name: "b", kind: tar.TypeLink, link: "a"}, {name: "a", kind: tar.TypeLink, link: "b"}, {name: "a", body: "2"},
			},
			files: map[string]string{"got/a": "2", "got/b": "1"},
		},
		{
			name: "devices and pipes", members: []member{
				{name: "null", kind: tar.TypeChar}, {name: "disk", kind: tar.TypeBlock}, {name: "pipe", kind: tar.TypeFifo}, {name: "after", body: "1"},
			},
			files: map[string]string{"got/after": "1"},
			notes: []string{"got/null left out: it is a device", "got/disk left out: it is a device", "got/pipe left out: it is a named pipe"},
		},
		{
			name: "a sparse file", members: []member{
				{name: "x", body: "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n37 GNU.sparse.realsize=1099511627776\n", extended: true},
				{name: "huge", body: "1\n1099511627775\n1\n" + strings.Repeat("\x00", 512-18) + "x"},
			},
			class: sandbox.Invalid, says: `"got/huge" is sparse: it would take 1099511627776 bytes`,
		},
		{
			name: "a file that is shorter than it says", members: []member{{name: "f", body: "half", size: 1 << 40}},
			class: sandbox.Unavailable, says: `write "got/f": unexpected EOF`,
		},
		{
			name: "a name that is too long", members: []member{{name: strings.Repeat("n", 300), body: "1"}},
			class: sandbox.Invalid, says: "file name too long",
		},
		{
			name: "names without meaning", members: []member{{name: ".", kind: tar.TypeDir}, {name: "./", kind: tar.TypeDir}, {name: ".//./f", body: "1"}, {name: "d//", kind: tar.TypeDir}},
			files: map[string]string{"got/f": "1"},
		},
		{
			name: "names that aren't text", members: []member{{name: "b\xffd\nname \x1b[31m", body: "1"}},
			files: map[string]string{"got/b\xffd\nname \x1b[31m": "1"},
		},
		{
			name: "a folder where it had sent a file", members: []member{{name: "x", body: "1"}, {name: "x/y", body: "2"}},
			class: sandbox.Conflict, says: `write "got/x/y": file exists`, files: map[string]string{"got/x": "1"},
		},
		{
			name: "a file where it had sent a folder", members: []member{{name: "x/y", body: "1"}, {name: "x", body: "2"}},
			class: sandbox.Conflict, says: "a folder stands in its place", files: map[string]string{"got/x/y": "1"},
		},
		{
			name: "folders deeper than a path may be long", members: []member{{name: deep + "f", body: "1"}},
			class: sandbox.Invalid, says: "nested deeper than 512 folders",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("dst/before", "mine too")
			err := w.take(hostile{kind: sandbox.KindDir, stream: stream(t, tt.members...)})
			switch {
			case tt.class == "" && err != nil, tt.class != "" && err == nil, err != nil && !strings.Contains(err.Error(), tt.says):
				t.Errorf("error: %v, want class %q and %q", err, tt.class, tt.says)
			case sandbox.ClassOf(err) != tt.class:
				t.Errorf("error of class %q, want %q: %v", sandbox.ClassOf(err), tt.class, err)
			}
			for name, want := range tt.files {
				if got := w.read("dst/" + name); got != want {
					t.Errorf("%q is %q, want %q", name, got, want)
				}
			}
			if diff := cmp.Diff(tt.notes, w.notes); diff != "" {
				t.Errorf("notes:\n%s", diff)
			}
			if got := w.read("dst/before"); got != "mine too" {
				t.Errorf("what was there before is %q", got)
			}
			if _, err := os.Lstat("/tmp/sandlot-hostile-file"); err == nil {
				t.Error("it has written into another folder")
			}
		})
	}
}

func TestALinkOfTheTargetIsReplacedAndNotWrittenThrough(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.dst, "got"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file": "../../outside", "dir": "../.."} {
		if err := os.Symlink(to, filepath.Join(w.dst, "got", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.take(hostile{kind: sandbox.KindDir, stream: stream(t, member{name: "file", body: "new"})}); err != nil {
		t.Fatal(err)
	}
	if got := w.read("dst/got/file"); got != "new" {
		t.Errorf("it is %q", got)
	}
	if err := w.take(hostile{kind: sandbox.KindDir, stream: stream(t, member{name: "dir/outside", body: "new"})}); err == nil {
		t.Error("a link of the target was followed out of it")
	}
}

func TestAFileThatWasThereBeforeGetsNoSecondName(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.dst, "got"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("dst/got/key", "mine")
	err := w.take(hostile{kind: sandbox.KindDir, stream: stream(t, member{name: "public", kind: tar.TypeLink, link: "key"})})
	if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), `another name of "got/key", which the sandbox didn't send before`) {
		t.Errorf("error: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(w.dst, "got", "public")); err == nil {
		t.Error("it has one now")
	}
}

func TestModesAreKeptButForTheBitsThatRaiseRights(t *testing.T) {
	w := newWorld(t)
	err := w.take(hostile{kind: sandbox.KindDir, stream: stream(
		t, member{name: "d", kind: tar.TypeDir, mode: 0o1500}, member{name: "d/root", mode: 0o6755, body: "1"},
	)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"got/d": os.ModeDir | 0o500, "got/d/root": 0o755} {
		info, err := os.Lstat(filepath.Join(w.dst, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	if err := os.Chmod(filepath.Join(w.dst, "got/d"), 0o700); err != nil { // so that it can be removed
		t.Fatal(err)
	}
}

func TestOneFileIsNoMoreThanOne(t *testing.T) {
	lost := errors.New("the backend went away")
	tests := []struct {
		name string
		sent []member
		err  error
		says string
	}{
		{"whatever its name is, it gets that which was asked for", []member{{name: "../../../outside", body: "1"}}, nil, ""},
		{"a second one is refused", []member{{name: "a", body: "1"}, {name: "b", body: "2"}}, nil, `more than the one file, "b"`},
		{"none at all is told", nil, nil, "it went away while it was read"},
		{"a folder in its place stays empty", []member{{name: "a", kind: tar.TypeDir}}, nil, ""},
		{"an error of the sandbox is told", []member{{name: "a", body: "1", size: 100}}, lost, lost.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			err := w.take(hostile{kind: sandbox.KindFile, stream: stream(t, tt.sent...), err: tt.err})
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("error: %v, want %q", err, tt.says)
			}
		})
	}
}

func TestTwoNamesThatAreOneHereAreRefused(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// As on a file system that doesn't tell case.
	if err := os.WriteFile(filepath.Join(dir, "Name"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "Name"), filepath.Join(dir, "name")); err != nil {
		t.Fatal(err)
	}
	u := &unpacker{root: root, names: map[string]string{}, to: "x"}
	if err := u.distinct("Name"); err != nil {
		t.Error(err)
	}
	if err := u.distinct("Name"); err != nil {
		t.Errorf("the same name twice: %v", err)
	}
	if err := u.distinct("name"); !errors.Is(err, sandbox.Conflict) {
		t.Errorf("another name of it: %v", err)
	}
	if err := u.distinct("NAME"); err != nil {
		t.Errorf("one that is told from it here: %v", err)
	}
}
