package providertest

import (
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func folderCases() []testCase {
	return []testCase{
		{"1,000 entries are listed, sorted and complete", withFiles(thousand)},
		{"an empty folder lists nothing", withFiles(emptyFolder)},
		{"mkdir makes parents, sets the mode and may be repeated", withFiles(mkdirWorks)},
		{"mkdir on a file is refused", withFiles(mkdirOnFile)},
		{"rename moves files and folders and replaces a file", withFiles(renameWorks)},
		{"a rename that fails changes nothing", withFiles(renameFails)},
		{"remove removes a file, a folder with all in it, and what is absent", withFiles(removeWorks)},
		{"removing a link removes the link alone", withFiles(removeLink)},
		{"the root is refused as Invalid and stays", withFiles(removeRoot)},
	}
}

func thousand(f *filed) {
	f.sh(`mkdir many && cd many && i=0 && while [ $i -lt 1000 ]; do : >"f$i"; i=$((i+1)); done`)
	want := strangeNames()
	for _, name := range want {
		f.write("many/"+name, "x", 0)
	}
	for i := range 1000 {
		want = append(want, fmt.Sprint("f", i))
	}
	slices.Sort(want)
	got := f.names("many")
	if !slices.Equal(got, want) {
		f.Errorf("%d entries, want %d; sorted: %v", len(got), len(want), slices.IsSorted(got))
	}
}

func emptyFolder(f *filed) {
	if got := f.names("."); len(got) != 0 {
		f.Errorf("the new root: %q", got)
	}
}

func mkdirWorks(f *filed) {
	f.noError("mkdir", f.files.Mkdir(f.ctx, "a/b/c", 0o700))
	f.sameMode("a/b/c", 0o700)
	f.sh("printf x >a/b/c/file")
	f.noError("mkdir again", f.files.Mkdir(f.ctx, "a/b/c", 0o755))
	f.noError("mkdir of its parent", f.files.Mkdir(f.ctx, f.root+"/a", 0o755))
	f.noError("mkdir of the root", f.files.Mkdir(f.ctx, ".", 0o755))
	if got := f.get("a/b/c/file"); got != "x" {
		f.Errorf("afterwards the file holds %q", got)
	}
	f.noError("mkdir", f.files.Mkdir(f.ctx, "open", 0o755))
	f.sameMode("open", 0o755)
}

func mkdirOnFile(f *filed) {
	f.write("file", "x", 0)
	f.mustBe("mkdir", f.files.Mkdir(f.ctx, "file", 0o755), sandbox.Conflict, sandbox.Invalid)
	f.mustBe("mkdir below", f.files.Mkdir(f.ctx, "file/below", 0o755), sandbox.Conflict, sandbox.Invalid, sandbox.NotFound)
	if got := f.get("file"); got != "x" {
		f.Errorf("afterwards it holds %q", got)
	}
}

func renameWorks(f *filed) {
	f.sh("printf new >new && printf old >old && mkdir -p folder/deep && printf x >folder/deep/file")
	f.noError("rename onto a file", f.files.Rename(f.ctx, "new", "old"))
	f.noError("rename a folder", f.files.Rename(f.ctx, "folder", f.root+"/moved"))
	f.noError("rename into a folder", f.files.Rename(f.ctx, "old", "moved/inside"))
	if got := f.sh("cat moved/inside moved/deep/file && ls -A"); got != "newxmoved\n" {
		f.Errorf("afterwards %q", got)
	}
	f.sh("ln -s nowhere link")
	f.noError("rename a link", f.files.Rename(f.ctx, "link", "other"))
	if got := f.stat("other"); got.Kind != sandbox.KindLink {
		f.Errorf("a renamed link is %+v", got)
	}
}

func renameFails(f *filed) {
	f.sh("printf x >file && mkdir full && printf y >full/inside")
	f.mustBe("rename of what is absent", f.files.Rename(f.ctx, "missing", "file"), sandbox.NotFound)
	f.mustBe("rename onto a folder", f.files.Rename(f.ctx, "file", "full"), sandbox.Conflict, sandbox.Invalid)
	f.mustBe("rename of a folder into itself", f.files.Rename(f.ctx, "full", "full/below"), sandbox.Conflict, sandbox.Invalid)
	f.mustBe("rename of the root", f.files.Rename(f.ctx, ".", "x"), sandbox.Conflict, sandbox.Invalid)
	if got := f.sh("cat file full/inside && ls -A"); got != "xyfile\nfull\n" {
		f.Errorf("afterwards %q", got)
	}
}

func removeWorks(f *filed) {
	f.sh("printf x >file && mkdir -p folder/a/b && printf x >folder/a/b/c && chmod 500 folder/a && mkdir kept")
	f.noError("remove a file", f.files.Remove(f.ctx, "file"))
	f.noError("remove what is absent", f.files.Remove(f.ctx, "file"))
	f.noError("remove what has no parent", f.files.Remove(f.ctx, "no/such/parent"))
	f.sh("chmod 700 folder/a")
	f.noError("remove a folder", f.files.Remove(f.ctx, "folder"))
	if got := f.sh("ls -A"); got != "kept\n" {
		f.Errorf("afterwards %q", got)
	}
}

func removeLink(f *filed) {
	f.sh("mkdir d tree && printf x >d/file && ln -s d link && ln -s ../d tree/link && ln -s ../d/file tree/file")
	f.noError("remove a link", f.files.Remove(f.ctx, "link"))
	f.noError("remove a folder with links", f.files.Remove(f.ctx, "tree"))
	if got := f.sh("cat d/file && ls -A"); got != "xd\n" {
		f.Errorf("afterwards %q", got)
	}
}

func removeRoot(f *filed) {
	f.sh("mkdir sub && printf x >kept")
	for _, path := range []string{".", "./", f.root, f.root + "/", f.root + "/.", "sub/..", f.root + "//"} {
		f.mustBe("remove "+path, f.files.Remove(f.ctx, path), sandbox.Invalid)
	}
	for _, path := range []string{f.sb.Info().StateDir} {
		f.mustBe("remove "+path, f.files.Remove(f.ctx, path), sandbox.Invalid, sandbox.Denied)
	}
	if got := f.sh("cat kept && ls -A"); got != "xkept\nsub\n" {
		f.Errorf("afterwards %q", got)
	}
}
