package transfer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWhereACopyGoes(t *testing.T) {
	file, dir := thing{base: "src"}, thing{dir: true, base: "src"}
	contents := thing{dir: true, base: "src", contents: true}
	missing := spot{path: "a/dst", parent: "a", base: "dst"}
	with := func(s spot, change func(*spot)) spot { change(&s); return s }
	toFile := with(missing, func(s *spot) { s.there = true })
	toDir := with(toFile, func(s *spot) { s.dir = true })
	slash := func(s *spot) { s.slash = true }
	tests := []struct {
		name  string
		src   thing
		dst   spot
		want  place
		class sandbox.Class
	}{
		{"a file onto what isn't there", file, missing, place{folder: "a", name: "dst"}, ""},
		{"a file onto a file", file, toFile, place{folder: "a", name: "dst"}, ""},
		{"a file onto a folder", file, toDir, place{folder: "a/dst", name: "src"}, ""},
		{"a file onto a folder with a slash", file, with(toDir, slash), place{folder: "a/dst", name: "src"}, ""},
		{"a file onto what isn't there, with a slash", file, with(missing, slash), place{}, sandbox.NotFound},
		{"a file onto a file with a slash", file, with(toFile, slash), place{}, sandbox.Invalid},
		{"a folder onto what isn't there", dir, missing, place{folder: "a", name: "dst", dir: true}, ""},
		{"a folder onto what isn't there, with a slash", dir, with(missing, slash), place{folder: "a", name: "dst", dir: true}, ""},
		{"a folder onto a folder", dir, toDir, place{folder: "a/dst", name: "src", dir: true}, ""},
		{"what a folder holds onto a folder", contents, toDir, place{folder: "a/dst", dir: true}, ""},
		{"what a folder holds onto what isn't there", contents, missing, place{folder: "a", name: "dst", dir: true}, ""},
		{"a folder onto a file", dir, toFile, place{}, sandbox.Conflict},
		{"what a folder holds onto a file", contents, toFile, place{}, sandbox.Conflict},
		{"a file onto a missing .. ", file, spot{path: "a/.."}, place{}, sandbox.NotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settle(tt.src, tt.dst, "from", "to")
			if class := sandbox.ClassOf(err); class != tt.class {
				t.Errorf("class %q, want %q: %v", class, tt.class, err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(place{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHowAPathEnds(t *testing.T) {
	tests := []struct {
		path            string
		slash, contents bool
	}{
		{"", false, true},
		{".", false, true},
		{"a", false, false},
		{"a/", true, false},
		{"a/.", false, true},
		{"a.", false, false},
		{"..", false, false},
		{"a/..", false, false},
		{"/", true, false},
		{"/.", false, true},
		{"./", true, false},
	}
	for _, tt := range tests {
		t.Run("the path "+tt.path, func(t *testing.T) {
			if slash, contents := ending(tt.path, "/"); slash != tt.slash || contents != tt.contents {
				t.Errorf("slash %v, contents %v", slash, contents)
			}
		})
	}
}
