package shellfs

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const testMark = mark("~mark~")

func TestAnswersOfAnEnemyAreErrors(t *testing.T) {
	good := "~mark~81a4 5 1700000000 2023-11-14 22:13:20.000000000 +0000~mark~./a\nb~mark~'./a\nb'~mark~\n"
	for _, c := range []struct {
		name, answer string
		class        sandbox.Class
		words        string
	}{
		{"nothing", "", sandbox.Unavailable, "cut off"},
		{"no mark", "81a4 5 1", sandbox.Unavailable, "cut off"},
		{"no end", good, sandbox.Unavailable, "cut off"},
		{"another end", good + "~mark~endless", sandbox.Unavailable, "cut off"},
		{"no facts", "~mark~~mark~./a~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a mode that is none", "~mark~rw 5 1 x~mark~./a~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a negative size", "~mark~81a4 -5 1 x~mark~./a~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a time beyond all", "~mark~81a4 5 99999999999999 x~mark~./a~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"an empty name", "~mark~81a4 5 1 x~mark~./~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"NUL in a name", "~mark~81a4 5 1 x~mark~./a\x00b~mark~~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a link without target", "~mark~a1ff 5 1 x~mark~./a~mark~./a~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a link of another name", "~mark~a1ff 5 1 x~mark~./a~mark~./b -> c~mark~\n~mark~end", sandbox.Internal, "answers"},
		{"a field without end", "~mark~" + strings.Repeat("x", 1<<20), sandbox.Internal, "at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := testMark.parse(`list folder "x"`, strings.NewReader(c.answer))
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), `list folder "x": `) {
				t.Errorf("%v, want class %s", err, c.class)
			}
		})
	}
	list, err := testMark.parse("list", strings.NewReader(good+"~mark~end"))
	if err != nil || len(list) != 1 || list[0].Name != "a\nb" || list[0].Size != 5 || list[0].Mode != 0o644 {
		t.Errorf("%+v, %v", list, err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("~mark~81a4 5 1700000000 2023-11-14 22:13:20.1 +0000~mark~./a~mark~./a~mark~\n~mark~end")
	f.Add("~mark~a1ff 1 1 x~mark~./l~mark~'./l' -> 't\n'~mark~\n~mark~end")
	f.Fuzz(func(t *testing.T, answer string) {
		list, err := testMark.parse("list", strings.NewReader(answer))
		if err != nil && list != nil {
			t.Errorf("a list of %d with %v", len(list), err)
		}
		for _, info := range list {
			if info.Name == "" || strings.ContainsAny(info.Name, "/\x00") || info.Size < 0 || info.Mode&^0o777 != 0 || info.Kind == "" {
				t.Errorf("%+v", info)
			}
		}
	})
}

// What passes the filter can be unpacked into an empty folder without a thought.
func FuzzFilter(f *testing.F) {
	var seed bytes.Buffer
	w := tar.NewWriter(&seed)
	for _, h := range []*tar.Header{
		{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o7755},
		{Name: "d/f", Typeflag: tar.TypeReg, Mode: 0o6644, Size: 1},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../x"},
		{Name: "h", Typeflag: tar.TypeLink, Linkname: "d/f"},
	} {
		if err := w.WriteHeader(h); err != nil {
			f.Fatal(err)
		}
		if h.Size > 0 {
			_, _ = io.WriteString(w, "x")
		}
	}
	_ = w.Close()
	f.Add(seed.Bytes())
	f.Fuzz(func(t *testing.T, stream []byte) {
		var out bytes.Buffer
		if filter(&out, bytes.NewReader(stream), "end") != nil {
			return
		}
		links := map[string]bool{}
		last := ""
		for in := tar.NewReader(&out); ; {
			h, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("what passed can't be read: %v", err)
			}
			last = h.Name
			name := path.Clean(h.Name)
			if !local(h.Name) || name == "." || h.Mode&^0o777 != 0 || len(h.PAXRecords) > 0 || h.Uid != 0 || links[name] {
				t.Errorf("passed: %+v", h)
			}
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if links[dir] {
					t.Errorf("through a link: %+v", h)
				}
			}
			switch h.Typeflag {
			case tar.TypeReg, tar.TypeDir:
			case tar.TypeLink:
				if !local(h.Linkname) || links[path.Clean(h.Linkname)] {
					t.Errorf("passed: %+v", h)
				}
			case tar.TypeSymlink:
				links[name] = true
			default:
				t.Errorf("passed: %+v", h)
			}
		}
		if last != "end" {
			t.Errorf("the last member is %q", last)
		}
	})
}

func TestTheClassIsThatOfTheLastWords(t *testing.T) {
	for _, c := range []struct {
		name, stderr string
		want         sandbox.Class
	}{
		{"coreutils", "stat: cannot statx './x': No such file or directory\n", sandbox.NotFound},
		{"BusyBox", "stat: can't stat './x': No such file or directory", sandbox.NotFound},
		{"a tar that goes on about it", "tar: x: Cannot open: Permission denied\ntar: Exiting with failure status due to previous errors\n", sandbox.Denied},
		{"a name that lies", "cat: ./x\ny: No such file or directory: Input/output error\n", sandbox.Unavailable},
		{"a name that lies at the end of a line", "cat: a: No such file or directory\nb: Input/output error\n", sandbox.Unavailable},
		{"words in the middle", "cat: No such file or directory happened\n", sandbox.Internal},
		{"nothing", "", sandbox.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, line := stderrClass([]byte(c.stderr)); got != c.want {
				t.Errorf("class %q (%s), want %q", got, line, c.want)
			}
		})
	}
}
