package gitignore

import (
	"bytes"
	"strings"
)

// maxPattern is the longest line that is taken for a pattern, in bytes: matching
// takes time in its length, and no path is longer.
const maxPattern = 4096

// Rules are the rules of one folder and those of the folders above it. The zero
// value ignores nothing. It is never changed once made.
type Rules struct {
	above *Rules
	base  string // the folder, relative to the top, with a slash behind; empty: the top
	lines []pattern
}

// In adds a folder's .gitignore file: dir is relative to the top of the tree,
// with slashes, empty for the top itself.
func (r *Rules) In(dir string, file []byte) *Rules {
	lines := parse(file)
	if len(lines) == 0 {
		return r
	}
	if dir != "" {
		dir += "/"
	}
	return &Rules{above: r, base: dir, lines: lines}
}

// Ignored reports whether the entry at path is left out. It must lie below the
// folder of every rule; nothing above it may be ignored.
func (r *Rules) Ignored(path string, isDir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for ; r != nil; r = r.above {
		below := path[len(r.base):]
		for i := len(r.lines) - 1; i >= 0; i-- {
			if p := &r.lines[i]; p.matches(below, name, isDir) {
				return !p.negated
			}
		}
	}
	return false
}

// pattern is one line.
type pattern struct {
	text     string
	literal  int // how many of its bytes stand for themselves, from the start
	negated  bool
	onlyDirs bool
	anywhere bool // it has no slash: the name alone counts
}

func parse(file []byte) []pattern {
	var all []pattern
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(file) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if p, ok := parseLine(string(line)); ok {
			all = append(all, p)
		}
	}
	return all
}

func parseLine(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") || len(line) > maxPattern || strings.IndexByte(line, 0) >= 0 {
		return p, false
	}
	line = trimSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.onlyDirs = strings.CutSuffix(line, "/")
	p.anywhere = !strings.Contains(line, "/")
	p.text = strings.TrimPrefix(line, "/")
	if p.literal = strings.IndexAny(p.text, `*?[\`); p.literal < 0 {
		p.literal = len(p.text)
	}
	return p, line != ""
}

// trimSpaces cuts blanks from the end, unless a backslash stands before them.
func trimSpaces(line string) string {
	end := 0 // after the last byte that stays
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 == len(line):
			return line
		case line[i] == '\\':
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

func (p *pattern) matches(path, name string, isDir bool) bool {
	switch {
	case p.onlyDirs && !isDir:
		return false
	case !p.anywhere:
	case p.literal == len(p.text):
		return name == p.text
	case p.text[0] == '*' && !strings.ContainsAny(p.text[1:], `*?[\`):
		return strings.HasSuffix(name, p.text[1:])
	default:
		return wild(p.text, name, false)
	}
	// What stands for itself is taken off first, as git does: `a**/b` then begins
	// with its stars.
	if !strings.HasPrefix(path, p.text[:p.literal]) {
		return false
	}
	return wild(p.text[p.literal:], path[p.literal:], true)
}
