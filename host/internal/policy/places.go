package policy

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Places are the folders of a sandbox, by its own paths, as far as rules about
// writes need them: `file_write = "allow"` is for files in some of them only. The
// zero value knows none: then a relative path is one in the workspace, and any other
// is outside.
type Places struct {
	// Root is the workspace.
	Root string
	// Dir is the folder that a command runs in; empty: Root.
	Dir string
	// Beside are folders whose files count as the workspace's do: the one for
	// temporary files, and those that the harness's block names.
	Beside []string
	// Attribute of the harness's block names such folders; empty: none does.
	Attribute string
	// Home is the agent's home, for which ~ stands. It is outside, also where it
	// lies in a folder of Beside.
	Home string
	// Kept are folders that are outside likewise.
	Kept []string
	// Link says where a link leads; the target is empty for what is no link, and
	// there is false for what isn't there. nil: nothing is known of links.
	Link func(file string) (target string, there bool, err error)
}

// maxPath is the length of a path, in bytes, that a system still opens.
const maxPath = 4096

// covered finds the narrowest of the folders around a tidy path, and whether writes
// in it are covered.
func (p Places) covered(file string) (dir string, ok bool) {
	best := -1
	look := func(folder string, covers bool) {
		folder = path.Clean(folder)
		in := below(folder, file)
		if !covers { // to some file systems other letters are the same folder
			in = in || below(strings.ToLower(folder), strings.ToLower(file))
		}
		if path.IsAbs(folder) && len(folder) > best && in {
			dir, ok, best = folder, covers, len(folder)
		}
	}
	look(p.Root, true) // a home that is the workspace too is the workspace
	for _, folder := range p.Beside {
		look(folder, true)
	}
	for _, folder := range append([]string{p.Home}, p.Kept...) {
		look(folder, false)
	}
	return dir, ok
}

// InWorkspace reports whether a path reads like one in the workspace.
func (p Places) InWorkspace(file string) bool { return below(p.Root, path.Clean(file)) }

// below reports whether a path is a folder or in it.
func below(folder, file string) bool {
	rest, ok := strings.CutPrefix(file, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// local reports whether a relative path stays below the folder it begins in at each
// of its steps.
func local(file string) bool {
	depth := 0
	for name := range strings.SplitSeq(file, "/") {
		switch name {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return false
			}
		default:
			depth++
		}
	}
	return file != "" && file[0] != '/'
}

// lies says why a path isn't covered by how it reads; empty: it is.
func (p Places) lies(file string) string {
	clean := path.Clean(file)
	rest := clean
	switch dir, ok := p.covered(clean); {
	case !path.IsAbs(clean) && (p.Root != "" || !local(clean)), path.IsAbs(clean) && !ok:
		if p.Attribute != "" {
			return fmt.Sprintf("%.200s is outside of the workspace and of %s", clean, p.Attribute)
		}
		return fmt.Sprintf("%.200s is outside of the workspace", clean)
	case dir != "":
		rest = clean[len(dir):]
	}
	for name := range strings.SplitSeq(rest, "/") {
		if isGit(name) {
			return fmt.Sprintf("%.200s is in git's own folder, which says what git runs", clean)
		}
	}
	if strings.EqualFold(path.Base(rest), "HEAD") {
		return fmt.Sprintf("%.200s would have git take its folder for a repository", clean)
	}
	return ""
}

// isGit reports whether a name is .git, or what some file systems take for it.
func isGit(name string) bool {
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name), " .")
	name, _, _ = strings.Cut(name, ":")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// odd says why a text is no path that can be decided about; empty: it is one.
func odd(file string) string {
	switch {
	case file == "":
		return "no path is given"
	case len(file) > maxPath:
		return "the path is too long for one"
	case strings.ContainsFunc(file, unicode.IsControl):
		return fmt.Sprintf("the path %.200q has signs that can't be seen", file)
	case strings.TrimSpace(file) != file:
		return fmt.Sprintf("the path %.200q begins or ends with a blank", file)
	case file[0] == '$':
		return fmt.Sprintf("the path %.200s begins with a variable", file)
	}
	return ""
}
