package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files gives access to Root, Home and StateDir, each through an os.Root: no
// link and no ".." leads out of them.
type files struct {
	info  sandbox.Info
	above string // the real folder of all sandboxes
}

// Files serves the sandbox's files.
func (b *box) Files() sandbox.Files { return files{info: b.info, above: b.above} }

// at is a path that is served: its folder, opened, and the rest.
type at struct {
	root *os.Root
	name string // relative to root; "." is root itself
	path string // as the caller wrote it, for messages
}

// find opens the folder that path lies in. The caller closes at.root.
func (f files) find(path string) (at, error) {
	folder, name, err := f.split(path)
	if err != nil {
		return at{}, err
	}
	root, err := f.open(folder)
	if err != nil {
		return at{}, err
	}
	return at{root: root, name: name, path: path}, nil
}

// split finds the narrowest of the served folders that path is under.
func (f files) split(path string) (folder, name string, err error) {
	if strings.IndexByte(path, 0) >= 0 {
		return "", "", sandbox.Errorf(sandbox.Invalid, "open path %q: it has a NUL byte", path)
	}
	if !filepath.IsAbs(path) {
		return f.info.Root, tidyName(path), nil
	}
	for _, dir := range []string{f.info.StateDir, f.info.Root, f.info.Home} {
		rest, ok := strings.CutPrefix(path, dir)
		if ok && (rest == "" || dir == "/" || os.IsPathSeparator(rest[0])) && len(dir) > len(folder) {
			folder, name = dir, tidyName(rest)
		}
	}
	if folder == "" {
		return "", "", sandbox.Errorf(sandbox.Denied,
			"open path %q: localprocess serves files under root, home and state folder only", path)
	}
	return folder, name, nil
}

// tidyName makes a name relative. It leaves ".." alone: what that means
// depends on links, which os.Root resolves.
func tidyName(name string) string {
	if name = strings.Trim(name, "/"); name == "" {
		return "."
	}
	return name
}

// parent makes the folders above the path.
func (a at) parent() error {
	dir := filepath.Dir(a.name)
	if dir == "." {
		return nil
	}
	return a.root.MkdirAll(dir, 0o755)
}

func (a at) fail(what string, err error) error {
	return classify(what+" "+strconv.Quote(a.path), err)
}
