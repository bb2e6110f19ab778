package proctree

import (
	"errors"
	"slices"
	"testing"
)

func TestLookWindows(t *testing.T) {
	const git = `C:\Program Files\Git\cmd;`
	files := []string{
		`C:\Program Files\Git\cmd\git.exe`, `C:\Program Files\Git\bin\sh.exe`, `C:\Portable\cmd\git.exe`, `C:\Portable\usr\bin\sh.exe`,
		`C:\node\npm.cmd`, `C:\node\npm`, `C:\node\node.exe`, `C:\msys\sh.exe`, `C:\work\evil.exe`, `C:\work\bin\tool.exe`,
	}
	for _, c := range []struct{ name, program, path, want string }{
		{"by its extension", "node", `C:\elsewhere;C:\node`, `C:\node\node.exe`},
		{"with its extension given", "node.exe", `C:\node`, `C:\node\node.exe`},
		{"a file without one isn't run", "npm", `C:\node`, `C:\node\npm.cmd`},
		{"in a quoted folder that ends in a separator", "node", `"C:\node\"`, `C:\node\node.exe`},
		{"not in the working folder", "evil", `;.;C:\node`, ""},
		{"by a path of its own", `C:\node\node`, "", `C:\node\node.exe`},
		{"by a path from the working folder", `bin\tool`, "", `C:\work\bin\tool.exe`},
		{"by such a path with slashes", `bin/tool.exe`, "", `C:\work\bin\tool.exe`},
		{"absent", `C:\node\deno.exe`, `C:\node`, ""},
		{"git's sh", "/bin/sh", git + `C:\msys`, `C:\Program Files\Git\bin\sh.exe`},
		{"the sh of a git that has it elsewhere", "/bin/sh", `C:\Portable\cmd`, `C:\Portable\usr\bin\sh.exe`},
		{"any sh where there is no git", "/bin/sh", `C:\node;C:\msys`, `C:\msys\sh.exe`},
		{"no sh at all", "/bin/sh", `C:\node`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := lookWindows(c.program, `C:\work`, c.path, "", func(file string) bool { return slices.Contains(files, file) })
			if got != c.want || (c.want == "") != errors.Is(err, ErrNotFound) {
				t.Errorf("got %q %v, want %q", got, err, c.want)
			}
		})
	}
}
