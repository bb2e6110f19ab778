package providertest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// strangeNames are names that files may have and that programs get wrong.
func strangeNames() []string {
	return []string{
		"-rf", "--help", "a\nb", "\n", " lead and trail ", "$(touch x)", "`touch x`", "*", "?[a]", `back\slash`, `"'`, ".hidden", "...",
		"世界", "e\u0301", "inv\xff\xfelid", "\x01\x1b[31m", "~", "a:b", "#", "%2e%2e", "a\tb\r", "\u202egnp",
		strings.Repeat("n", 255), strings.Repeat("世", 85),
	}
}

func nameCases() []testCase {
	var cases []testCase
	for _, name := range strangeNames() {
		label := name
		if len(label) > 20 {
			label = label[:9] + "... of 255 bytes"
		}
		cases = append(cases, testCase{"every call takes the name " + strconv.QuoteToASCII(label), withFiles(func(f *filed) { nameWorks(f, name) })})
	}
	return append(cases, testCase{"NUL in a path is Invalid", withFiles(nulPath)})
}

func nameWorks(f *filed, name string) {
	f.write(name, "content", 0o640)
	if got := f.read(name) + f.get("./"+name); got != "contentcontent" {
		f.Errorf("it holds %q", got)
	}
	if info := f.stat(name); info.Name != name || info.Kind != sandbox.KindFile || info.Size != 7 {
		f.Errorf("stat %+v", info)
	}
	if got := f.names("."); !slices.Equal(got, []string{name}) {
		f.Errorf("listed as %q", got)
	}
	f.noError("chmod", f.files.Chmod(f.ctx, name, 0o600))
	f.noError("rename away", f.files.Rename(f.ctx, name, "plain"))
	if got := f.names("."); !slices.Equal(got, []string{"plain"}) {
		f.Errorf("after rename away %q", got)
	}
	f.noError("rename to", f.files.Rename(f.ctx, "plain", f.root+"/"+name))
	f.noError("remove", f.files.Remove(f.ctx, name))
	f.noError("mkdir", f.files.Mkdir(f.ctx, name, 0o755))
	f.write(name+"/"+name, "deep", 0)
	if got := f.names(name); !slices.Equal(got, []string{name}) {
		f.Errorf("in a folder of this name %q", got)
	}
	treeWorks(f, name)
	f.noError("remove the folder", f.files.Remove(f.ctx, f.root+"/"+name))
	if got := f.sh("ls -A"); got != "" {
		f.Errorf("in the end there is %q", got)
	}
}

// treeWorks sends a folder of this name, which holds a file of this name, out
// and into another, and the file alone.
func treeWorks(f *filed, name string) {
	var stream bytes.Buffer
	f.noError("pull", f.files.Pull(f.ctx, name, &stream))
	f.noError("remove", f.files.Remove(f.ctx, name))
	f.noError("push", f.files.Push(f.ctx, name, &stream))
	if got := f.names("."); !slices.Equal(got, []string{name}) {
		f.Errorf("after a push there is %q", got)
	}
	f.noError("pull the file", f.files.Pull(f.ctx, name+"/"+name, &stream))
	got, err := unpack(stream.Bytes())
	f.noError("read what was pulled", err)
	if len(got) != 1 || f.read(name+"/"+name) != "deep" {
		f.Errorf("pulled %q", got)
	}
	for _, m := range got {
		if m.content != "deep" {
			f.Errorf("the file came as %+v", m)
		}
	}
}

func nulPath(f *filed) {
	for _, c := range append(reading(), changing()...) {
		f.mustBe(c.name, c.do(f.ctx, f.files, "a\x00b"), sandbox.Invalid)
	}
}
