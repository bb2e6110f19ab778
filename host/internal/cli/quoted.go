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
func quoted(target string) string {
	r := []rune(printable(target))
	if over := len(r) - shownTarget; over > 0 {
		head, tail := string(r[:shownTarget/2]), string(r[len(r)-shownTarget/2:])
		r = []rune(fmt.Sprintf("%s\n… %d characters are not shown …\n%s", head, over, tail))
	}
	var out strings.Builder
	for i, line := range strings.Split(string(r), "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString("  │ " + line)
	}
	return out.String()
}
