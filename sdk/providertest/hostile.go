package providertest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// hostileCases are about trees that somebody made to harm the host: what an
// agent can put under the paths that the host then uses.
func hostileCases() []testCase {
	return []testCase{
		{"a pipe is refused where a file is wanted, and nobody waits for it", withFiles(pipeRefused)},
		{"a pull doesn't wait for pipes and brings no content for them", withFiles(pullSkips)},
		{"a folder that becomes a link during a write isn't followed", withFiles(writeSwap)},
		{"a folder that becomes a link during a push isn't followed", withFiles(pushSwap)},
		{"a root that became a link isn't followed by any call", withFiles(rootSwap)},
		{"destroying spares what the root became a link to", withFiles(destroySwap)},
		{"set-id and sticky bits don't come in", withFiles(noSetID)},
		{"a folder with very many entries is listed, sorted, complete and with little memory", withFiles(manyEntries)},
	}
}

func pipeRefused(f *filed) {
	for _, c := range append(reading(), changing()...) {
		f.sh("rm -rf pipe to-be-moved moved-here && mkfifo pipe")
		var err error
		f.soon(c.name+" of a pipe", func() { err = c.do(f.ctx, f.files, "pipe") })
		switch c.name {
		case "read", "list", "push", "mkdir":
			f.mustBe(c.name+" of a pipe", err, sandbox.Invalid, sandbox.Conflict, sandbox.NotFound)
		}
		f.soon("remove", func() { err = f.files.Remove(f.ctx, "pipe") })
		f.noError("remove a pipe", err)
	}
}

func pullSkips(f *filed) {
	f.sh("mkdir -p t/sub && printf x >t/file && mkfifo t/pipe t/sub/pipe && printf y >t/sub/zzz")
	var stream bytes.Buffer
	var err error
	f.soon("a pull of a tree with pipes", func() { err = f.files.Pull(f.ctx, "t", &stream) })
	f.noError("pull", err)
	got, err := unpack(stream.Bytes())
	f.noError("read what was pulled", err)
	if got["file"].content != "x" || got["sub/zzz"].content != "y" {
		f.Errorf("what lies beside the pipes is %+v", got)
	}
	for _, name := range []string{"pipe", "sub/pipe"} {
		if m, there := got[name]; there && m.kind != tar.TypeFifo {
			f.Errorf("%s came as %c of %d bytes", name, m.kind, len(m.content))
		}
	}
}

// swapping is a reader in whose middle something happens: what reads it has
// looked at the tree before and writes into it afterwards.
type swapping struct {
	before, after io.Reader
	swap          func()
	swapped       bool
}

func (s *swapping) Read(p []byte) (int, error) {
	if !s.swapped {
		if n, err := s.before.Read(p); n > 0 || err != io.EOF {
			return n, err
		}
		s.swap()
		s.swapped = true
	}
	return s.after.Read(p)
}

// becomesLink gives a folder another name and puts a link in its place.
func (f *filed) becomesLink(path, target string) {
	err := os.Rename(path, path+".away")
	if err == nil {
		err = os.Symlink(target, path)
	}
	if err != nil {
		f.Errorf("swap %s: %v", path, err)
	}
}

func writeSwap(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	for _, name := range []string{"secret", "new"} {
		f.sh("rm -rf d d.away && mkdir d")
		r := &swapping{
			before: strings.NewReader(strings.Repeat("x", 1<<20)), after: strings.NewReader("the end"),
			swap: func() { f.becomesLink(filepath.Join(f.root, "d"), dir) },
		}
		err := f.files.Write(f.ctx, "d/"+name, r, sandbox.WriteOptions{})
		f.Logf("write: %v", err) // it may fail, or have gone where the folder is now
		f.sameOutside(dir)
	}
}

func pushSwap(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	stream := pack(member{name: "big", content: string(noise(1<<20, 8))}, member{name: "d/secret", content: "x"}, member{name: "d/deep/new", content: "x"})
	const first = 512 + 1<<20 // all of the first member
	f.sh("mkdir -p t/d")
	err := f.files.Push(f.ctx, "t", &swapping{
		before: bytes.NewReader(stream[:first]), after: bytes.NewReader(stream[first:]),
		swap: func() { f.becomesLink(filepath.Join(f.root, "t/d"), dir) },
	})
	f.Logf("push: %v", err)
	f.sameOutside(dir)
}

// rootBecomesLink does to the sandbox's root what an agent in it may do, and
// returns what undoes it; false: an agent can't.
func (f *filed) rootBecomesLink(dir string) (undo func(), ok bool) {
	f.Helper()
	script := `cd / && mv "$1" "$1.away" && ln -s "$2" "$1"`
	if r := f.run(sandbox.Command{Argv: shell(script, f.root, dir)}); !r.exit.Ok() {
		f.Logf("the root can't be replaced from inside: %s", r.stderr)
		return nil, false
	}
	return func() {
		if target, err := os.Readlink(f.root); err == nil && target == dir {
			f.noError("remove the link", os.Remove(f.root))
			f.noError("put the root back", os.Rename(f.root+".away", f.root))
		}
	}, true
}

func rootSwap(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	undo, ok := f.rootBecomesLink(dir)
	if !ok {
		return
	}
	defer undo()
	all := []sandbox.Files{f.files}
	if again, err := f.second().Resume(f.ctx, sandbox.ResumeRequest{ID: f.sb.ID()}); err == nil {
		all = append(all, again.(sandbox.Filer).Files())
	}
	refused := func(what string, err error) {
		f.mustBe(what, err, sandbox.Denied, sandbox.Invalid, sandbox.Unavailable, sandbox.Gone)
	}
	for i, files := range all {
		for _, path := range []string{"secret", "folder", ".", f.root + "/secret", f.root} {
			for _, c := range reading() {
				refused(c.name+" "+path, c.do(f.ctx, files, path))
			}
			refused("remove "+path, files.Remove(f.ctx, path))
		}
		for _, c := range changing() {
			refused(c.name, c.do(f.ctx, files, "new"))
		}
		if t := f.suite.plugins[i]; t.apart() {
			f.Logf("plugin process %d refused all", t.PID)
		}
	}
	f.sameOutside(dir)
}

func destroySwap(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	undo, ok := f.rootBecomesLink(dir)
	if !ok {
		return
	}
	defer undo()
	f.noError("destroy", f.second().Destroy(f.ctx, f.sb.ID()))
	f.sameOutside(dir)
	if _, err := os.Lstat(f.root); err == nil {
		f.Errorf("the link in place of the root is still there")
	}
	_ = os.RemoveAll(f.root + ".away") // where a provider keeps the root beside others
}

func noSetID(f *filed) {
	err := f.files.Push(f.ctx, "t", bytes.NewReader(pack(
		member{name: "folder/", kind: tar.TypeDir, mode: 0o7777},
		member{name: "folder/program", content: "#!/bin/sh\n", mode: 0o6755},
	)))
	if err != nil {
		f.mustBe("push", err, sandbox.Invalid)
	}
	const bits = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	f.write("written", "x", bits|0o755)
	f.noError("chmod", f.files.Chmod(f.ctx, "written", bits|0o755))
	f.noError("mkdir", f.files.Mkdir(f.ctx, "made", bits|0o755))
	if got := f.sh("find . -type f -perm -4000; find . -type f -perm -2000; find . -perm -1000; find . -type d -perm -4000"); got != "" {
		f.Errorf("they came in with %q", strings.Fields(got))
	}
}

func manyEntries(f *filed) {
	count := 10_000
	if f.isLocal() && f.suite.plugins[0].apart() { // whose memory is its own
		count = 100_000
	}
	f.makeMany(count)
	stop := f.watchMemory(f.suite.plugins[0])
	defer stop()
	got := f.names("many")
	if len(got) != count || !slices.IsSorted(got) || got[0] != entryName(0) || got[len(got)-1] != entryName(count-1) {
		f.Errorf("%d entries, want %d; sorted: %v", len(got), count, slices.IsSorted(got))
	}
}

func entryName(i int) string { return fmt.Sprintf("entry-%06d", i) }

// makeMany fills a folder. Where it can, with links to a few files: those cost
// a tenth of as many files, above all when they are removed.
func (f *filed) makeMany(count int) {
	f.sh("mkdir many && cd many && touch " + entryName(0))
	if !f.isLocal() {
		f.sh(`cd many && i=1 && while [ $i -lt "$1" ]; do printf 'entry-%06d\n' $i; i=$((i+1)); done | xargs touch`, strconv.Itoa(count))
		return
	}
	const perFile = 30_000 // file systems have limits
	dir := filepath.Join(f.root, "many")
	for i := 1; i < count; i++ {
		name, old := filepath.Join(dir, entryName(i)), filepath.Join(dir, entryName(i/perFile*perFile))
		var err error
		if i%perFile == 0 {
			err = os.WriteFile(name, nil, 0o600)
		} else {
			err = os.Link(old, name)
		}
		f.noError("make entry", err)
	}
}
