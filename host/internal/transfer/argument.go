package transfer

import "strings"

// Argument is one side of a copy, as a person writes it.
type Argument struct {
	Sandbox string // whose path it is; empty: this machine's
	Path    string
	Stream  bool // "-": stdin or stdout, as tar
}

// Parse reads SANDBOX:PATH, a path of this machine, or "-". A path whose own name
// has a colon is written with its folder: ./a:b. On Windows a single letter before
// the colon is a drive.
func Parse(arg string, windows bool) Argument {
	if arg == "-" {
		return Argument{Stream: true}
	}
	name, path, ok := strings.Cut(arg, ":")
	separators := "/"
	if windows {
		separators = `/\`
	}
	switch {
	case !ok, name == "", strings.HasPrefix(name, "."), strings.ContainsAny(name, separators), windows && len(name) == 1:
		return Argument{Path: arg}
	}
	return Argument{Sandbox: name, Path: path}
}
