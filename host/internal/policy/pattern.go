package policy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sandlot-dev/sandlot/host/internal/policy/shell"
)

// blank stands in a pattern for a blank that belongs to a word.
const blank = '\uE002'

// pattern is a command as one text, its words joined with blanks; shell.Hole and
// shell.Slot stand in it for what isn't known.
type pattern struct {
	text  []rune
	known bool
}

func patternOf(words []shell.Word) pattern {
	var p pattern
	p.known = true
	for i, w := range words {
		if i > 0 {
			p.text = append(p.text, ' ')
		}
		for _, r := range string(w) {
			switch {
			case r == shell.Hole || r == shell.Slot:
				p.known = false
			case r == blank:
				r, p.known = shell.Hole, false
			case unicode.IsSpace(r):
				r = blank
			}
			p.text = append(p.text, r)
		}
	}
	return p
}

// effort is how many characters may still be compared for one text: many rules, long
// ones and commands in commands multiply.
type effort int

// mostEffort is that of a whole text, some half a second's.
const mostEffort effort = 1 << 27

// fits reports whether glob fits every text that the pattern can become: `*` is
// any run of characters, `?` one that is known. It is false where the effort is spent.
func (e *effort) fits(glob []rune, p pattern) bool {
	star, mark := -1, 0 // where to try again: after the last star, one character on
	g, t := 0, 0
	for t < len(p.text) {
		if *e--; *e < 0 {
			return false
		}
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, t
			g++
		case g < len(glob) && (glob[g] == p.text[t] || glob[g] == '?' && p.text[t] != shell.Hole && p.text[t] != shell.Slot):
			g++
			t++
		case star >= 0:
			mark++
			g, t = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// mayFit reports whether glob fits some text that the pattern can become. It
// walks the pattern with the set of places in the glob that can be reached. It is
// true where the effort is spent.
func (e *effort) mayFit(glob []rune, p pattern) bool {
	at, next := make([]bool, len(glob)+1), make([]bool, len(glob)+1)
	at[0] = true
	skipStars(glob, at)
	for _, r := range p.text {
		if *e -= effort(len(at)); *e < 0 {
			return true
		}
		if !step(glob, at, next, r) {
			return false
		}
		at, next = next, at
	}
	return at[len(glob)]
}

// step takes one character of the pattern, and reports whether a place is left.
func step(glob []rune, at, next []bool, r rune) bool {
	for g := range at {
		switch r {
		case shell.Hole:
			next[g] = at[g] || g > 0 && next[g-1]
		case shell.Slot:
			next[g] = at[g] || g > 0 && next[g-1] && glob[g-1] != ' '
		default:
			next[g] = at[g] && g < len(glob) && glob[g] == '*' || g > 0 && at[g-1] && (glob[g-1] == '?' || glob[g-1] == r)
		}
	}
	skipStars(glob, next)
	return slices.Contains(next, true)
}

// skipStars adds the places that a star of no characters leads to.
func skipStars(glob []rune, at []bool) {
	for g, r := range glob {
		if at[g] && r == '*' {
			at[g+1] = true
		}
	}
}

// narrow are the globs of a rule that allows: the rule as it stands; a last ` *`
// stands also for no arguments.
func narrow(rule string) [][]rune {
	rule = strings.Join(strings.Fields(rule), " ")
	globs := [][]rune{[]rune(rule)}
	if base, ok := strings.CutSuffix(rule, " *"); ok {
		globs = append(globs, []rune(base))
	}
	return globs
}

// wide are the globs of a rule that denies or asks: it holds also with more
// arguments.
func wide(rule string) [][]rune {
	rule = strings.TrimSuffix(strings.Join(strings.Fields(rule), " "), " *")
	return [][]rune{[]rune(rule), []rune(rule + " *")}
}
