package providertest

import (
	"archive/tar"
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func treeCases() []testCase {
	return []testCase{
		{"a tree with links, modes and strange names goes out and in again", withFiles(roundTrip)},
		{"pushing makes the folder and replaces files", withFiles(pushReplaces)},
		{"a single file can be pulled", withFiles(pullFile)},
		{"an empty folder can be pulled and pushed", withFiles(pullEmpty)},
		{"a stream that is cut off or no tar at all is refused", withFiles(pushBroken)},
		{"a push whose context ends is Canceled", withFiles(pushCanceled)},
	}
}

func sampleTree() []member {
	members := []member{
		{name: "empty/", kind: tar.TypeDir, mode: 0o700},
		{name: "folder/", kind: tar.TypeDir, mode: 0o755},
		{name: "folder/file", content: "text", mode: 0o640},
		{name: "folder/program", content: "#!/bin/sh\necho ran\n", mode: 0o755},
		{name: "nothing", mode: 0o600},
		{name: "big", content: string(noise(1<<20, 7)), mode: 0o644},
		{name: "link", kind: tar.TypeSymlink, target: "folder/file"},
		{name: "folder/up", kind: tar.TypeSymlink, target: "../big"},
		{name: "dangling", kind: tar.TypeSymlink, target: "nowhere"},
	}
	for _, name := range strangeNames() {
		members = append(members, member{name: "strange/" + name, content: name, mode: 0o644})
	}
	return members
}

func roundTrip(f *filed) {
	sent := sampleTree()
	f.noError("push", f.files.Push(f.ctx, "a/tree", bytes.NewReader(pack(sent...))))
	want := map[string]member{}
	for _, m := range sent {
		if m.kind == 0 {
			m.kind = tar.TypeReg
		}
		m.name = strings.TrimSuffix(m.name, "/")
		want[m.name] = m
	}
	f.sameTree("a/tree", want)
	if got := f.sh("a/tree/folder/program && cat a/tree/link"); got != "ran\ntext" {
		f.Errorf("in the sandbox %q", got)
	}
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, f.root+"/a/tree", &stream))
	f.noError("push what was pulled", f.files.Push(f.ctx, "again", &stream))
	f.sameTree("again", want)
}

// sameTree pulls a folder and compares; folders that only hold others needn't
// be in want.
func (f *filed) sameTree(path string, want map[string]member) {
	f.Helper()
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, path, &stream))
	got, err := unpack(stream.Bytes())
	f.noError("read what was pulled", err)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if w, g := want[name], got[name]; g != w {
			f.Errorf("%s: %.60q is %c %v of %d bytes to %q, want %c %v of %d bytes to %q", path, name,
				g.kind, g.mode, len(g.content), g.target, w.kind, w.mode, len(w.content), w.target)
		}
	}
	for name, g := range got {
		if _, asked := want[name]; !asked && g.kind != tar.TypeDir {
			f.Errorf("%s: %q was never there", path, name)
		}
	}
}

func pushReplaces(f *filed) {
	f.sh("mkdir -p t && printf old >t/file && printf kept >t/kept && printf target >target && ln -s ../target t/link")
	f.noError("push", f.files.Push(f.ctx, "t", bytes.NewReader(pack(
		member{name: "./file", content: "new", mode: 0o600},
		member{name: "link", content: "no link any more"},
		member{name: "deep/er/file", content: "x"},
	))))
	if got := f.sh("cat t/file t/kept t/deep/er/file target t/link"); got != "newkeptxtargetno link any more" {
		f.Errorf("afterwards %q", got)
	}
	f.sameMode("t/file", 0o600)
}

func pullFile(f *filed) {
	f.write("folder/file", "text", 0o640)
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, "folder/file", &stream))
	got, err := unpack(stream.Bytes())
	f.noError("read what was pulled", err)
	for _, m := range got {
		if len(got) != 1 || m.kind != tar.TypeReg || m.content != "text" || m.mode != 0o640 {
			f.Errorf("pulled %+v", m)
		}
	}
	if len(got) != 1 {
		f.Errorf("pulled %d members", len(got))
	}
}

func pullEmpty(f *filed) {
	f.noError("mkdir", f.files.Mkdir(f.ctx, "empty", 0o755))
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, "empty", &stream))
	f.noError("push", f.files.Push(f.ctx, "copy", &stream))
	if got := f.names("copy"); len(got) != 0 {
		f.Errorf("the copy holds %q", got)
	}
}

func pushBroken(f *filed) {
	whole := pack(sampleTree()...)
	for what, stream := range map[string][]byte{
		"cut off in a file": whole[:len(whole)/2],
		"no tar at all":     bytes.Repeat([]byte("no tar "), 1000),
	} {
		f.mustBe(what, f.files.Push(f.ctx, "t", bytes.NewReader(stream)), sandbox.Invalid)
	}
	f.write("file", "x", 0)
	f.mustBe("push onto a file", f.files.Push(f.ctx, "file", bytes.NewReader(pack())), sandbox.Invalid, sandbox.Conflict)
}

func pushCanceled(f *filed) {
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	r := &failing{n: 0, end: func() error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}
	f.soon("a push whose context ends", func() { f.mustBe("push", f.files.Push(ctx, "t", r), sandbox.Canceled) })
}
