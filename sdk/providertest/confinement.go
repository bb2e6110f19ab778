package providertest

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func confinementCases() []testCase {
	cases := []testCase{
		{"a path that isn't served is Denied to every call", withFiles(outsideDenied)},
		{"links out of the root aren't followed by any call", withFiles(linksOut)},
		{"removing a tree spares what its links point to", withFiles(removeSpares)},
		{"a link that is pushed isn't followed by the members after it", withFiles(pushThroughLink)},
	}
	for _, m := range []struct {
		name    string
		members []member
	}{
		{"..", []member{{name: "../escaped", content: "x"}}},
		{".. further in", []member{{name: "a/../../escaped", content: "x"}}},
		{"an absolute name", []member{{name: "/tmp/escaped", content: "x"}}},
		{"an absolute name in the root", []member{{name: "/escaped", content: "x"}}},
		{"a hard link out", []member{{name: "escaped", kind: tar.TypeLink, target: "../target"}}},
		{"an absolute hard link", []member{{name: "escaped", kind: tar.TypeLink, target: "/etc/passwd"}}},
		{"a device", []member{{name: "escaped", kind: tar.TypeChar}}},
	} {
		cases = append(cases, testCase{"a pushed member with " + m.name + " is Invalid", withFiles(func(f *filed) {
			f.sh("mkdir t && printf target >target")
			f.mustBe("push", f.files.Push(f.ctx, "t", bytes.NewReader(pack(m.members...))), sandbox.Invalid)
			if got := f.sh("ls -A . t; cat target"); strings.Contains(got, "escaped") || !strings.HasSuffix(got, "target") {
				f.Errorf("afterwards %q", got)
			}
		})})
	}
	return cases
}

// outside is a folder of this machine that no sandbox serves, with a file in
// it. Where a sandbox is a machine of its own, nothing is outside of it.
func (f *filed) outside() (dir string, ok bool) {
	f.Helper()
	if !f.isLocal() {
		f.Logf("the sandbox is isolated: its files are all its own")
		return "", false
	}
	dir = f.localDir()
	f.noError("write", os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600))
	f.noError("make a folder", os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	return dir, true
}

// sameOutside checks that nothing out there has changed.
func (f *filed) sameOutside(dir string) {
	f.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "secret"))
	if string(content) != "secret" || err != nil {
		f.Errorf("the file outside holds %q %v", content, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "secret")); err != nil || info.Mode().Perm() != 0o600 {
		f.Errorf("the file outside is %v %v", info, err)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "folder")} {
		if info, err := os.Lstat(folder); err != nil || info.Mode().Perm() != 0o700 {
			f.Errorf("the folder outside is %v %v", info, err)
		}
	}
	for where, want := range map[string]int{dir: 2, filepath.Join(dir, "folder"): 0} {
		if list, err := os.ReadDir(where); err != nil || len(list) != want {
			f.Errorf("the folder outside holds %v %v", list, err)
		}
	}
}

func outsideDenied(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	up := strings.Repeat("../", 40)
	for _, path := range []string{dir + "/secret", dir + "/folder", dir, f.root + "/../../.." + up + dir, up + dir[1:] + "/secret", "/", dir + "/missing"} {
		for _, c := range append(reading(), changing()...) {
			f.mustBe(c.name+" "+path, c.do(f.ctx, f.files, path), sandbox.Denied)
		}
		f.mustBe("remove "+path, f.files.Remove(f.ctx, path), sandbox.Denied)
	}
	f.sameOutside(dir)
}

func linksOut(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	rel, err := filepath.Rel(f.root, dir)
	f.noError("relate", err)
	f.sh(`mkdir t && ln -s "$1" abs && ln -s "$2" rel && ln -s "$1/secret" secret && ln -s "$2/secret" relsecret && ln -s "$1/folder" t/folder`, dir, rel)
	for _, link := range []string{"abs", "rel"} {
		for _, c := range reading() {
			f.refused(c.name+" "+link+"/secret", c.do(f.ctx, f.files, link+"/secret"))
		}
		for _, c := range changing() {
			f.refused(c.name+" "+link+"/new", c.do(f.ctx, f.files, link+"/new"))
		}
		f.refused("list "+link, reading()[2].do(f.ctx, f.files, link))
		f.refused("remove "+link+"/secret", f.files.Remove(f.ctx, link+"/secret"))
	}
	for _, link := range []string{"secret", "relsecret"} {
		f.refused("read "+link, reading()[0].do(f.ctx, f.files, link))
		_ = f.files.Chmod(f.ctx, link, 0o777)             // the link's own or an error,
		_ = changing()[0].do(f.ctx, f.files, link)        // replaced or an error,
		_ = f.files.Pull(f.ctx, link, &bytes.Buffer{})    // the link or an error:
		_ = changing()[2].do(f.ctx, f.files, "t/folder")  // but never what it points to
		_ = changing()[0].do(f.ctx, f.files, "t/folder/") // with a slash neither
	}
	f.sameOutside(dir)
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, "t", &stream))
	got, err := unpack(stream.Bytes())
	f.noError("read what was pulled", err)
	for name := range got {
		if strings.Contains(name, "/") {
			f.Errorf("pull went through the link: %q", name)
		}
	}
}

// refused checks that a call got nowhere: what lies behind a link out of the
// root isn't served.
func (f *filed) refused(what string, err error) {
	f.Helper()
	f.mustBe(what, err, sandbox.Denied)
}

func removeSpares(f *filed) {
	dir, ok := f.outside()
	if !ok {
		return
	}
	f.sh(`mkdir tree && ln -s "$1" tree/link && ln -s "$1/secret" tree/file && ln -s "$1" top`, dir)
	f.noError("remove", f.files.Remove(f.ctx, "tree"))
	f.noError("remove a link", f.files.Remove(f.ctx, "top"))
	if got := f.sh("ls -A"); got != "" {
		f.Errorf("left %q", got)
	}
	f.sameOutside(dir)
}

func pushThroughLink(f *filed) {
	f.sh("mkdir t other")
	err := f.files.Push(f.ctx, "t", bytes.NewReader(pack(
		member{name: "link", kind: tar.TypeSymlink, target: "../other"},
		member{name: "link/escaped", content: "x"},
	)))
	f.mustBe("push", err, sandbox.Invalid, sandbox.Denied)
	if got := f.sh("ls -A other"); got != "" {
		f.Errorf("it wrote %q", got)
	}
	dir, ok := f.outside()
	if !ok {
		return
	}
	f.sh(`rm -rf t && mkdir t && ln -s "$1" t/out`, dir)
	for _, path := range []string{"t", "t/out"} {
		err := f.files.Push(f.ctx, path, bytes.NewReader(pack(member{name: "out/escaped", content: "x"}, member{name: "secret", content: "x"})))
		f.mustBe("push into "+path, err, sandbox.Invalid, sandbox.Denied)
	}
	f.sameOutside(dir)
}
