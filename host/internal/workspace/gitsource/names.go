package gitsource

import (
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	// maxEntries is how many files, links and folders a repository may have: one of a
	// few kilobytes can name more than any disk holds.
	maxEntries = 2_000_000
	// maxBytes is how large all of its files together may be.
	maxBytes = 64 << 30
	// maxDepth is how deep its folders may be nested.
	maxDepth = 512
	// maxPath is how long a path or a link's target may be, in bytes.
	maxPath = 4096
)

// checker looks at the names of a commit's files in the order of its trees. What
// git itself would never have put there is refused: it would be another file, or
// a part of .git, to somebody else.
type checker struct {
	open    []folder // from the top down to the one that is being listed
	entries int
	bytes   int64
}

type folder struct {
	path  string
	names map[string]bool
}

func newChecker() *checker { return &checker{open: []folder{{names: map[string]bool{}}}} }

func (c *checker) check(e entry) error {
	dir, name := "", e.path
	if i := strings.LastIndexByte(e.path, '/'); i >= 0 {
		dir, name = e.path[:i], e.path[i+1:]
	}
	for len(c.open) > 1 && c.open[len(c.open)-1].path != dir {
		c.open = c.open[:len(c.open)-1]
	}
	here := c.open[len(c.open)-1]
	c.entries++
	c.bytes += max(e.size, 0)
	switch {
	case here.path != dir || name == "" || name == "." || name == "..":
		return refuse(e.path, "its name isn't one that a file can have")
	case here.names[name]:
		return refuse(e.path, "it is there twice")
	case isDotGit(name):
		return refuse(e.path, "its name is one for git's own folder")
	case len(e.path) > maxPath:
		return refuse(e.path, "its path is longer than %d bytes", maxPath)
	case len(c.open) > maxDepth:
		return refuse(e.path, "it is nested deeper than %d folders", maxDepth)
	case c.entries > maxEntries:
		return sandbox.Errorf(sandbox.Exhausted, "copy the repository: it names more than %d files and folders", maxEntries)
	case c.bytes > maxBytes:
		return sandbox.Errorf(sandbox.Exhausted, "copy the repository: its files are larger than %d GiB together", maxBytes>>30)
	}
	here.names[name] = true
	if e.kind == "tree" {
		c.open = append(c.open, folder{path: e.path, names: map[string]bool{}})
	}
	return nil
}

func refuse(path, format string, args ...any) error {
	return &sandbox.Error{
		Class: sandbox.Invalid, Message: "copy " + shown(path) + " of the repository: " + fmt.Sprintf(format, args...),
		Hint: "such a commit can harm whoever checks it out: look at where it comes from, or choose another ref",
	}
}

// shown is a path for a message.
func shown(path string) string {
	if len(path) > 200 {
		path = path[:200] + "..."
	}
	return quoted(path)
}

// isDotGit reports whether a name is .git for some file system: those that don't
// mind case, end names before a colon, drop dots and spaces at the end, have short
// names, or leave out characters that nobody sees.
func isDotGit(name string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(unseen, part), " .")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}

func unseen(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}
