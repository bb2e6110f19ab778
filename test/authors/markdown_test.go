package authors

import (
	"fmt"
	"strings"
)

// block is one fenced block of a page that a reader acts upon.
type block struct {
	line     int      // of its first line
	file     string   // name of the file that it is the content of; or
	commands []string // what is typed, and
	output   [][]string
	content  string
	excerpt  bool // content is a part of some other file
}

// blocks reads a page. A fence "```go main.go" is a file; in "```console", what
// follows "$ " is typed (a line that follows with "> " belongs to it), and the
// rest is what is seen; "```console by-hand" isn't run. Others are for reading:
// "```go" alone is an excerpt.
func blocks(page string) ([]block, error) {
	var all []block
	var lines []string
	var open *block
	kind := ""
	for i, l := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(l, "```")
		switch {
		case isFence && open == nil:
			lang, name, _ := strings.Cut(fence, " ")
			open, lines, kind = &block{line: i + 2}, nil, "text"
			switch {
			case lang == "console" && name == "":
				kind = "console"
			case lang != "console" && name != "":
				kind, open.file = "file", name
			case lang == "go":
				kind, open.excerpt = "file", true
			}
		case isFence:
			switch kind {
			case "file":
				open.content = strings.Join(lines, "\n") + "\n"
				all = append(all, *open)
			case "console":
				if err := open.session(lines); err != nil {
					return nil, err
				}
				all = append(all, *open)
			}
			open = nil
		case open != nil:
			lines = append(lines, l)
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block isn't closed", open.line)
	}
	return all, nil
}

// session takes commands and output apart.
func (b *block) session(lines []string) error {
	for i, l := range lines {
		last := len(b.commands) - 1
		switch typed, ok := strings.CutPrefix(l, "$ "); {
		case ok:
			b.commands, b.output = append(b.commands, typed), append(b.output, nil)
		case last < 0:
			return fmt.Errorf("line %d: output before any command: %q", b.line+i, l)
		case len(b.output[last]) == 0 && strings.HasPrefix(l, "> "):
			b.commands[last] += "\n" + l[2:]
		default:
			b.output[last] = append(b.output[last], l)
		}
	}
	return nil
}

// matches reports whether what was seen is what the page shows. "..." stands for
// anything within a line, and for any lines where it is one.
func matches(shown, seen []string) bool {
	if len(shown) == 0 {
		return true
	}
	if shown[0] == "..." {
		for i := range len(seen) + 1 {
			if matches(shown[1:], seen[i:]) && (len(shown) > 1 || i == len(seen)) {
				return true
			}
		}
		return false
	}
	if len(seen) == 0 || !lineMatches(shown[0], seen[0]) {
		return false
	}
	if len(shown) == 1 {
		return len(seen) == 1
	}
	return matches(shown[1:], seen[1:])
}

func lineMatches(shown, seen string) bool {
	parts := strings.Split(shown, "...")
	rest, ok := strings.CutPrefix(seen, parts[0])
	for _, part := range parts[1:] {
		if !ok {
			return false
		}
		at := strings.Index(rest, part)
		if part == parts[len(parts)-1] && part != "" {
			at = strings.LastIndex(rest, part)
		}
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return ok && (rest == "" || strings.HasSuffix(shown, "..."))
}
