package shellfs

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxPath bounds a path; one argument may have 128 KiB.
const maxPath = 64 << 10

// entry is a path as the scripts take it: an absolute folder, and a name in it.
// The name is "." where the folder itself is meant. A ".." is never taken out of
// the folder here: what it means depends on links.
type entry struct{ folder, name string }

// entry splits a path, or refuses it.
func (f files) entry(p string) (entry, error) {
	switch {
	case strings.IndexByte(p, 0) >= 0:
		return entry{}, sandbox.Errorf(sandbox.Invalid, "the path has a NUL byte")
	case len(p) > maxPath:
		return entry{}, sandbox.Errorf(sandbox.Invalid, "the path has %d bytes, at most %d can be", len(p), maxPath)
	}
	if !path.IsAbs(p) {
		p = strings.TrimRight(f.info.Root, "/") + "/" + p
	}
	clean := path.Clean(p)
	if f.confined() && !slices.ContainsFunc(f.served(), func(dir string) bool { return holds(dir, clean) }) {
		return entry{}, sandbox.Errorf(sandbox.Denied, "only what lies under root, home and state folder is served")
	}
	for before := ""; before != p; {
		before = p
		p = strings.TrimRight(strings.TrimSuffix(p, "/."), "/")
	}
	if p == "" {
		p = "/"
	}
	slash := strings.LastIndexByte(p, '/')
	folder, name := p[:slash], p[slash+1:]
	if name == ".." || name == "" || slices.Contains(f.served(), p) {
		return entry{p, "."}, nil
	}
	if folder == "" {
		folder = "/"
	}
	return entry{folder, name}, nil
}

// holds reports whether a cleaned path is dir or lies in it.
func holds(dir, clean string) bool {
	return clean == dir || strings.HasPrefix(clean, strings.TrimRight(dir, "/")+"/")
}

// confined reports whether the files beside the sandbox's are somebody else's.
func (f files) confined() bool { return f.info.Isolation == sandbox.IsolationNone }

func (f files) served() []string { return []string{f.info.Root, f.info.Home, f.info.StateDir} }

// quoted is a path for messages, without the end of a very long one.
func quoted(p string) string {
	if len(p) > 200 {
		return strconv.Quote(p[:200]) + "..."
	}
	return strconv.Quote(p)
}
