package cli

import (
	"fmt"
	"strings"
)

// shownTarget is how many characters of a request are shown whole.
const shownTarget = 4000

// quoted shows what is asked for line by line and to its end, since a person
// answers for all of it. Of one that no screen holds, the middle is left out,
// with its length.
//
// Lines longer than a terminal of that width are cut here, so that no part of them
// begins a line that could be taken for ours; 0: it is no terminal.
func quoted(target string, width uint) string {
	r := []rune(printable(target))
	if over := len(r) - shownTarget; over > 0 {
		head, tail := string(r[:shownTarget/2]), string(r[len(r)-shownTarget/2:])
		r = []rune(fmt.Sprintf("%s\n… %d characters are not shown …\n%s", head, over, tail))
	}
	var out strings.Builder
	for i, line := range strings.Split(string(r), "\n") {
		for j, piece := range folded(line, width) {
			if i+j > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(quote + piece)
		}
	}
	return out.String()
}

// quote is before each line of what is asked for.
const quote = "  │ "

// folded is a line in pieces that fit behind a quote in a terminal of that width.
func folded(line string, width uint) []string {
	room := int(width) - columns(quote)
	if width == 0 || room < 1 {
		return []string{line}
	}
	line = strings.ReplaceAll(line, "\t", "    ") // how wide a tab is depends on where it stands
	var pieces []string
	var piece strings.Builder
	used := 0
	for _, r := range line {
		n := columns(string(r))
		if used+n > room {
			pieces = append(pieces, piece.String())
			piece.Reset()
			used = 0
		}
		piece.WriteRune(r)
		used += n
	}
	return append(pieces, piece.String())
}
