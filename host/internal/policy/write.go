package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/policy/shell"
)

// write decides about a write; outside says why the files aren't those that allowing
// is meant for. What it isn't meant for gets the default, and is at least asked about:
// a file that the user's own programs read could have an allowed command do anything.
func (p Policy) write(outside func() string) Decision {
	d := byDefault(p)
	if p.FileWrite != "" {
		d = checked(p.FileWrite, Ask, fileWriteRule)
	}
	if d.Action != Allow || p.Free() {
		return d
	}
	why := outside()
	switch {
	case why == "":
		return d
	case byDefault(p).Action == Deny:
		return Decision{Deny, fileWriteRule + ": " + why}
	}
	return Decision{Ask, fileWriteRule + ": " + why}
}

const fileWriteRule = "file_write"

// Free reports whether a policy allows everything: then nothing is looked at, since
// what a write may not do, an allowed command may.
func (p Policy) Free() bool {
	return p.Default == Allow && (p.FileWrite == Allow || p.FileWrite == "") && (p.Network == Allow || p.Network == "") &&
		len(p.Commands.Deny)+len(p.Commands.Ask) == 0
}

// target says why the files of a request aren't covered: one absolute path, or several
// with ", " between. A text that is no such path is the agent's for a file it doesn't
// name.
func (l *looker) target(text string) string {
	files := []string{text}
	if parts := strings.Split(text, ", "); len(parts) > 1 {
		files = append(files, parts...) // it may be one path with a comma, or several
	}
	for i, file := range files {
		if why := odd(file); why != "" {
			return why
		}
		full := l.expanded(file)
		switch {
		case full[0] == '~':
			return fmt.Sprintf("%.200s is outside of the workspace", full)
		case path.IsAbs(full), l.Root == "":
		case i > 1 && local(full):
			full = path.Join(l.Root, full)
		default:
			return fmt.Sprintf("the agent doesn't say which file, only: %.200s", file)
		}
		if why := l.outside(full); why != "" {
			return why
		}
	}
	return ""
}

// expanded has the home in place of ~, for which some tools take it.
func (l *looker) expanded(file string) string {
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || rest[0] == '/') && path.IsAbs(l.Home) {
		return path.Join(l.Home, rest)
	}
	return file
}

// redirection says why a file that a redirection of a command writes isn't covered.
func (l *looker) redirection(w shell.Write, dirs []shell.Word) string {
	file := string(w.File)
	if !w.File.Known() {
		return "which file it is, is known only when it runs"
	}
	if why := odd(file); why != "" {
		return why
	}
	if path.IsAbs(file) {
		return l.outside(file)
	}
	const unknown = "it is relative to a folder that is known only when the command runs"
	if w.Adrift || len(dirs) > maxDirs {
		return unknown
	}
	from := l.Dir
	if from == "" {
		from = l.Root
	}
	if len(dirs) == 0 {
		return l.outside(join(from, file))
	}
	if !local(file) {
		return unknown // above them could be anything
	}
	all, ok := l.folders(from, dirs)
	if !ok {
		return unknown
	}
	for _, at := range all {
		if why := l.outside(join(at, file)); why != "" {
			return why
		}
	}
	return ""
}

// folders are all that a command may be in which begins in one and changes to others.
// Each of them may not be there, come before another or be changed to again: a part of
// a text may run in any order, or more than once. ok is false where one isn't known, or
// where they are too many.
func (l *looker) folders(from string, dirs []shell.Word) (all []string, ok bool) {
	all = []string{from}
	var inner []string // names below where the command is
	for _, dir := range dirs {
		switch to := string(dir); {
		case !dir.Known(), odd(to) != "":
			return nil, false
		case path.IsAbs(to):
			all = append(all, to)
		case slices.Contains(steps(to), ".."):
			return nil, false
		case path.Clean(to) != ".":
			inner = append(inner, path.Clean(to))
		}
	}
	level := all
	for depth := 0; len(level) > 0; depth++ {
		var next []string
		for _, at := range level {
			if depth >= len(inner) && !l.there(at) {
				continue // what the text makes itself has no links
			}
			for _, dir := range inner {
				next = append(next, join(at, dir))
			}
		}
		if all = append(all, next...); len(all) > maxFolders {
			return nil, false
		}
		level = next
	}
	return all, true
}

// join leaves `..` as it stands: what it means depends on links.
func join(dir, file string) string {
	if dir == "" {
		return file
	}
	return dir + "/" + file
}
