package transfer

import (
	"archive/tar"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// local is the name of an entry that a sandbox sent, as one of this machine: empty
// for the folder itself. What could lead out of it is refused.
func local(name string) (string, error) {
	name = strings.TrimRight(name, "/")
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	if name == "" || name == "." {
		return "", nil
	}
	bad := func(why string) (string, error) {
		return "", sandbox.Errorf(sandbox.Invalid, "the sandbox sent the name %q, which %s", name, why)
	}
	switch {
	case strings.HasPrefix(name, "/"), slices.Contains(strings.Split(name, "/"), ".."):
		return bad("leads out of the folder that is copied")
	case strings.Count(name, "/") > maxDepth:
		return "", sandbox.Errorf(sandbox.Invalid, "the sandbox sent a name that is nested deeper than %d folders, %.40q...", maxDepth, name)
	case strings.ContainsRune(name, 0):
		return bad("no file can have")
	case runtime.GOOS == "windows" && strings.ContainsAny(name, `<>:"|?*\`):
		return bad("no file can have on Windows")
	}
	if os := filepath.FromSlash(name); filepath.IsLocal(os) {
		return os, nil
	}
	return bad("no file can have here")
}

// sparse is true for a file whose holes are only described: a stream of a few bytes
// could fill the disk.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// under puts a name before another; an empty one of either is left out.
func under(dir, name string) string {
	switch {
	case dir == "":
		return name
	case name == "":
		return dir
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}

// Inside reports whether a path of a sandbox is another one or lies in it, as both
// are written. Relative ones are under root.
func Inside(root, outer, inner string) bool {
	for _, p := range []*string{&outer, &inner} {
		if !strings.HasPrefix(*p, "/") {
			*p = root + "/" + *p
		}
		*p = path.Clean(*p)
	}
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}
