package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The bounds of what is looked at for one request: what goes beyond is asked about.
const (
	maxLinks   = 40  // of one path, as the system has it
	maxLooks   = 512 // files
	maxDirs    = 16  // folders that a command changes to
	maxFolders = 128 // that it may be in by those
)

// looker decides where paths are, with a bounded number of looks.
type looker struct {
	Places
	left int
}

func (p Places) looker() *looker { return &looker{p, maxLooks} }

// outside says why a path isn't covered; empty: it is. Tools take `a/..` away before
// they open a file, the system goes into `a` first: both must be covered.
func (l *looker) outside(file string) string {
	if why := l.lies(file); why != "" || l.Link == nil {
		return why
	}
	for _, way := range slices.Compact([]string{file, path.Clean(file)}) {
		to, err := l.follow(way)
		if err != nil {
			return fmt.Sprintf("where %.200s leads isn't known: %v", file, err)
		}
		if why := l.lies(to); why != "" {
			return fmt.Sprintf("%.200s leads elsewhere: %s", file, why)
		}
		if l.bare(to) {
			return fmt.Sprintf("%.200s is in a git repository's own folder, which says what git runs", to)
		}
	}
	return ""
}

// follow goes down a path as the system does, from the covered folder that it
// begins in: what is above isn't the agent's to change. Where it leaves all of them
// it stops, at a path that isn't covered, wherever the rest would lead back to.
func (l *looker) follow(file string) (string, error) {
	at, rest := l.begin(file)
	if at == "" {
		return "", errors.New("it doesn't begin in a folder that is covered")
	}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			if at = path.Dir(at); !l.covers(at) {
				return at, nil
			}
			continue
		}
		if l.left--; l.left < 0 {
			return "", fmt.Errorf("there is more to look at than %d files", maxLooks)
		}
		next := path.Join(at, name)
		target, there, err := l.Link(next)
		switch {
		case err != nil:
			return "", err
		case !there && slices.Contains(rest, ".."):
			return "", fmt.Errorf("%.200s isn't there", next)
		case !there:
			return path.Join(append([]string{next}, rest...)...), nil
		case target == "":
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("more than %d links", maxLinks)
		}
		rest = append(steps(target), rest...)
		if path.IsAbs(target) {
			whole := "/" + strings.Join(rest, "/")
			if at, rest = l.begin(whole); at == "" {
				return "", fmt.Errorf("a link in it leads to %.200s", target)
			}
		}
	}
	return at, nil
}

// bare reports whether a file of the workspace says what git runs in a folder that may
// be a repository by itself, without .git: git takes one for it that has a HEAD.
func (l *looker) bare(file string) bool {
	all := steps(file)
	for i, name := range all {
		last := i == len(all)-1
		switch name = strings.ToLower(name); {
		case name == "hooks", last && (name == "config" || name == "config.worktree" || name == "commondir"):
			if in := "/" + strings.Join(all[:i], "/"); l.InWorkspace(in) && l.there(path.Join(in, "HEAD")) {
				return true
			}
		}
	}
	return false
}

// there reports whether something is known to be at a path.
func (l *looker) there(file string) bool {
	if l.Link == nil {
		return false
	}
	to, err := l.follow(file)
	if l.left--; err != nil || l.left < 0 {
		return false
	}
	_, there, err := l.Link(to)
	return there && err == nil
}

// begin cuts a path behind the covered folder that it begins with; at is empty where
// it begins with none.
func (l *looker) begin(file string) (at string, rest []string) {
	all := steps(file)
	for n := len(all); n >= 0; n-- {
		if folder := "/" + strings.Join(all[:n], "/"); !strings.Contains(folder+"/", "/../") && l.names(folder) {
			return folder, all[n:]
		}
	}
	return "", nil
}

// names reports whether a folder is one that is covered as such.
func (l *looker) names(folder string) bool {
	dir, ok := l.covered(folder)
	return ok && dir == folder
}

func (l *looker) covers(file string) bool {
	_, ok := l.covered(file)
	return ok
}

// steps are the names in a path.
func steps(file string) []string {
	var out []string
	for name := range strings.SplitSeq(file, "/") {
		if name != "" && name != "." {
			out = append(out, name)
		}
	}
	return out
}
