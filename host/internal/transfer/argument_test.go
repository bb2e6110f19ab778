package transfer

import "testing"

func TestParse(t *testing.T) {
	tests := []struct {
		name    string
		arg     string
		windows bool
		want    Argument
	}{
		{"a path of a sandbox", "demo:src/a", false, Argument{Sandbox: "demo", Path: "src/a"}},
		{"its workspace", "demo:", false, Argument{Sandbox: "demo"}},
		{"a path with colons", "demo:a:b", false, Argument{Sandbox: "demo", Path: "a:b"}},
		{"an absolute path of a sandbox", "demo:/etc/hosts", false, Argument{Sandbox: "demo", Path: "/etc/hosts"}},
		{"a path of this machine", "src/a", false, Argument{Path: "src/a"}},
		{"one whose name has a colon", "./a:b", false, Argument{Path: "./a:b"}},
		{"one with a colon in a folder", "dir/a:b", false, Argument{Path: "dir/a:b"}},
		{"an absolute one with a colon", "/a:b", false, Argument{Path: "/a:b"}},
		{"one that begins with a colon", ":a", false, Argument{Path: ":a"}},
		{"a stream", "-", false, Argument{Stream: true}},
		{"a drive", `C:\dir\a`, true, Argument{Path: `C:\dir\a`}},
		{"a drive's working directory", "c:a", true, Argument{Path: "c:a"}},
		{"a folder of Windows with a colon", `dir\a:b`, true, Argument{Path: `dir\a:b`}},
		{"a sandbox on Windows", "demo:src", true, Argument{Sandbox: "demo", Path: "src"}},
		{"a sandbox of one letter elsewhere", "c:a", false, Argument{Sandbox: "c", Path: "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Parse(tt.arg, tt.windows); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestAPathLiesInsideAnother(t *testing.T) {
	for _, c := range []struct {
		name, outer, inner string
		inside             bool
	}{
		{"a folder and itself, written in two ways", "a/", "./a", true},
		{"the workspace and what is in it", "", "a/b", true},
		{"a relative and an absolute one", "a", "/srv/a/b", true},
		{"one that leads back", "a", "a/../b", false},
		{"a name that begins alike", "a", "ab", false},
		{"the folder above", "a/b", "a", false},
		{"the root and all", "/", "x", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Inside("/srv", c.outer, c.inner); got != c.inside {
				t.Errorf("%v", got)
			}
		})
	}
}
