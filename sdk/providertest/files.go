package providertest

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func fileCases() []testCase {
	return []testCase{
		{"8 MiB written are 8 MiB read, by calls and by processes", withFiles(bigFile)},
		{"relative paths are under the root, absolute ones are real", withFiles(bothPaths)},
		{"the state directory is served", withFiles(stateServed)},
		{"a new file is 0644, a mode that is asked for is set", withFiles(newModes)},
		{"a write keeps the mode of the old file", withFiles(keptModes)},
		{"missing parents are made", withFiles(missingParents)},
		{"a file may be empty", withFiles(emptyFile)},
		{"a read has an offset and a limit", withFiles(partialRead)},
		{"stat tells kind, size, mode and time", withFiles(statTells)},
		{"stat and list don't follow the last link", withFiles(statLink)},
		{"what is absent is NotFound", withFiles(absent)},
		{"what is there isn't NotFound", withFiles(notAbsent)},
		{"chmod sets permission bits", withFiles(chmodSets)},
		{"another plugin process sees the same files", withFiles(sameFiles)},
	}
}

func bigFile(f *filed) {
	want := noise(8<<20, 4)
	f.write("big", string(want), 0)
	f.sameBytes("read", []byte(f.read("big")), want)
	f.sameBytes("cat", []byte(f.get("big")), want)
	f.sh("cat big big >bigger")
	f.sameBytes("read of what a process wrote", []byte(f.read("bigger")), append(want, want...))
}

func bothPaths(f *filed) {
	f.write("relative", "r", 0)
	f.write(f.root+"/absolute", "a", 0)
	if got := f.sh("cat relative absolute"); got != "ra" {
		f.Errorf("they hold %q", got)
	}
	if got := f.read(f.root+"/relative") + f.read("absolute") + f.read("./relative"); got != "rar" {
		f.Errorf("they hold %q", got)
	}
}

func stateServed(f *filed) {
	path := f.sb.Info().StateDir + "/sub/prompt"
	f.write(path, "text", 0o600)
	if got := f.read(path) + f.get(path); got != "texttext" {
		f.Errorf("it holds %q", got)
	}
	if mode := f.stat(path).Mode; mode != 0o600 {
		f.Errorf("mode %v", mode)
	}
	f.noError("remove", f.files.Remove(f.ctx, f.sb.Info().StateDir+"/sub"))
	if info := f.stat(f.sb.Info().Home); info.Kind != sandbox.KindDir {
		f.Errorf("home is %+v", info)
	}
}

// shellMode asks ls for the permission bits of a path.
func (f *filed) shellMode(path string) fs.FileMode {
	f.Helper()
	text := f.sh(`ls -ld -- "$1"`, path)
	if len(text) < 10 {
		f.Fatalf("ls says %q", text)
	}
	var mode fs.FileMode
	for i, c := range text[1:10] {
		mode <<= 1
		if c == rune("rwxrwxrwx"[i]) {
			mode |= 1
		}
	}
	return mode
}

func (f *filed) sameMode(path string, want fs.FileMode) {
	f.Helper()
	if got := f.stat(path).Mode; got != want {
		f.Errorf("stat says that %s is %v, want %v", path, got, want)
	}
	if got := f.shellMode(path); got != want {
		f.Errorf("ls says that %s is %v, want %v", path, got, want)
	}
}

func newModes(f *filed) {
	f.write("default", "x", 0)
	f.sameMode("default", 0o644)
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o640, 0o777, 0o666} {
		path := "mode-" + strconv.FormatUint(uint64(mode), 8)
		f.write(path, "x", mode)
		f.sameMode(path, mode)
		f.write("default", "x", mode)
		f.sameMode("default", mode)
	}
}

func keptModes(f *filed) {
	for _, mode := range []string{"751", "600", "666"} {
		f.sh(`rm -f old && printf old >old && chmod "$1" old`, mode)
		f.write("old", "new", 0)
		want, _ := strconv.ParseUint(mode, 8, 32)
		f.sameMode("old", fs.FileMode(want))
		if got := f.get("old"); got != "new" {
			f.Errorf("it holds %q", got)
		}
	}
}

func missingParents(f *filed) {
	f.write("a/b/c/file", "x", 0)
	if got := f.get("a/b/c/file"); got != "x" {
		f.Errorf("it holds %q", got)
	}
	f.sh("cd a/b/c") // a folder that can be entered
	f.write("a/b/c/other", "y", 0)
	if got := f.get("a/b/c/file"); got != "x" {
		f.Errorf("after another write beside it holds %q", got)
	}
	err := f.files.Write(f.ctx, "a/b/c/file/below", strings.NewReader("x"), sandbox.WriteOptions{})
	f.mustBe("write below a file", err, sandbox.Invalid, sandbox.Conflict, sandbox.NotFound)
}

func emptyFile(f *filed) {
	f.write("empty", "", 0)
	if info := f.stat("empty"); info.Kind != sandbox.KindFile || info.Size != 0 {
		f.Errorf("stat %+v", info)
	}
	f.write("full", "text", 0)
	f.write("full", "", 0)
	if got := f.read("empty") + f.read("full"); got != "" {
		f.Errorf("they hold %q", got)
	}
}

func partialRead(f *filed) {
	f.write("digits", "0123456789", 0)
	for _, r := range []struct {
		offset, limit int64
		want          string
	}{
		{0, 0, "0123456789"}, {0, 3, "012"}, {4, 0, "456789"}, {4, 3, "456"}, {9, 5, "9"}, {10, 0, ""}, {10, 5, ""}, {25, 0, ""}, {0, 25, "0123456789"},
	} {
		got, err := f.tryRead("digits", sandbox.ReadOptions{Offset: r.offset, Limit: r.limit})
		if got != r.want || err != nil {
			f.Errorf("offset %d, limit %d: %q %v, want %q", r.offset, r.limit, got, err, r.want)
		}
	}
	for _, opts := range []sandbox.ReadOptions{{Offset: -1}, {Limit: -1}} {
		_, err := f.tryRead("digits", opts)
		f.mustBe("a negative offset or limit", err, sandbox.Invalid)
	}
	want := noise(3<<20, 5)
	f.write("big", string(want), 0)
	got, err := f.tryRead("big", sandbox.ReadOptions{Offset: 1<<20 + 1, Limit: 1 << 20})
	f.noError("read", err)
	f.sameBytes("read", []byte(got), want[1<<20+1:2<<20+1])
}

func statTells(f *filed) {
	f.sh("printf 12345 >file && chmod 640 file && mkdir folder && chmod 750 folder && mkfifo pipe")
	for _, want := range []sandbox.FileInfo{
		{Name: "file", Kind: sandbox.KindFile, Mode: 0o640, Size: 5},
		{Name: "folder", Kind: sandbox.KindDir, Mode: 0o750},
		{Name: "pipe", Kind: sandbox.KindOther},
	} {
		for _, path := range []string{want.Name, f.root + "/" + want.Name, "folder/../" + want.Name} {
			got := f.stat(path)
			if got.Name != want.Name || got.Kind != want.Kind || got.Target != "" {
				f.Errorf("stat %s: %+v, want %+v", path, got, want)
			}
			if want.Kind != sandbox.KindOther && got.Mode != want.Mode {
				f.Errorf("stat %s: mode %v, want %v", path, got.Mode, want.Mode)
			}
			if want.Kind == sandbox.KindFile && got.Size != want.Size {
				f.Errorf("stat %s: size %d, want %d", path, got.Size, want.Size)
			}
		}
	}
	f.sh("touch -t 202001020304 file")
	if got := f.stat("file").ModTime; got.Before(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) || got.After(time.Date(2020, 1, 4, 0, 0, 0, 0, time.UTC)) {
		f.Errorf("time %v", got)
	}
}

func statLink(f *filed) {
	f.sh("mkdir d && printf text >d/file && ln -s d/file good && ln -s d folder && ln -s nowhere dangling && ln -s loop loop")
	for name, target := range map[string]string{"good": "d/file", "folder": "d", "dangling": "nowhere", "loop": "loop"} {
		got := f.stat(name)
		if got.Kind != sandbox.KindLink || got.Target != target || got.Size != int64(len(target)) {
			f.Errorf("stat %s: %+v", name, got)
		}
	}
	if got := f.stat("folder/file"); got.Kind != sandbox.KindFile {
		f.Errorf("stat through a linked folder: %+v", got)
	}
	list, err := f.files.List(f.ctx, ".")
	f.noError("list", err)
	for _, got := range list {
		if got.Name != "d" && (got.Kind != sandbox.KindLink || got.Target == "") {
			f.Errorf("listed as %+v", got)
		}
	}
	if got := f.read("good"); got != "text" {
		f.Errorf("read through a link: %q", got)
	}
}

func absent(f *filed) {
	f.sh("mkdir there")
	for _, path := range []string{"missing", "there/missing", "no/such/folder/file", f.root + "/missing"} {
		for _, c := range reading() {
			f.mustBe(c.name+" of "+path, c.do(f.ctx, f.files, path), sandbox.NotFound)
		}
	}
}

func notAbsent(f *filed) {
	f.sh("mkdir folder && printf x >file && ln -s nowhere dangling && mkdir shut && printf x >shut/inside && chmod 000 shut")
	f.Cleanup(func() {
		ctx, cancel := f.afterwards()
		defer cancel()
		_, _ = sandbox.Exec(ctx, f.sb, sandbox.Command{ID: "open-up", Script: "chmod 700 shut"})
	})
	_, err := f.files.Stat(f.ctx, "dangling")
	f.noError("stat of a dangling link", err)
	for what, err := range map[string]error{
		"read of a folder": reading()[0].do(f.ctx, f.files, "folder"),
		"list of a file":   reading()[2].do(f.ctx, f.files, "file"),
	} {
		f.mustBe(what, err, sandbox.Invalid, sandbox.Conflict, sandbox.Denied)
	}
	// Only root can look into a folder without permissions.
	if _, err := f.files.Stat(f.ctx, "shut/inside"); err != nil {
		f.mustBe("stat in a folder that is shut", err, sandbox.Denied)
	}
}

func chmodSets(f *filed) {
	f.sh("printf x >file && mkdir folder")
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o444, 0o777} {
		for _, path := range []string{"file", "folder"} {
			f.noError("chmod", f.files.Chmod(f.ctx, path, mode))
			f.sameMode(path, mode)
		}
	}
}

func sameFiles(f *filed) {
	filer, err := sandbox.As[sandbox.Filer](f.resume(f.second()))
	f.noError("ask for files", err)
	f.write("shared", "text", 0)
	r, err := filer.Files().Read(context.WithoutCancel(f.ctx), "shared", sandbox.ReadOptions{})
	f.noError("read", err)
	f.noError("close", r.Close())
	f.noError("remove", filer.Files().Remove(f.ctx, "shared"))
	_, err = f.files.Stat(f.ctx, "shared")
	f.mustBe("stat", err, sandbox.NotFound)
}
