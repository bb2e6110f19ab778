package workspace

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// leads says why a link would lead out of the tree; empty: it doesn't. A link
// inside that points at nothing is fine.
func (t *tree) leads(link, target string) string {
	slashed := filepath.ToSlash(target)
	switch {
	case path.IsAbs(slashed), filepath.IsAbs(target):
		return "it is a link to " + quoted(target) + ", an absolute path of this machine; links inside the folder are relative"
	case !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(link), slashed))):
		return "it is a link to " + quoted(target) + ", which is outside of the folder"
	}
	// Other links on the way may lead out too. A missing end and a circle don't.
	if _, err := t.top.Stat(filepath.FromSlash(link)); leavesRoot(err) {
		return "it is a link to " + quoted(target) + ", which leads out of the folder by way of another link"
	}
	return ""
}

// leavesRoot reports whether an os.Root refused a path because it leads out of
// it; the error has no name in package os.
func leavesRoot(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.Contains(e.Err.Error(), "escapes")
}

// quoted is a name for a message: as it is if nothing in it can be mistaken.
func quoted(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` {
		return q
	}
	return name
}
