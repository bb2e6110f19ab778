package policy

import "unicode/utf8"

// match reports whether glob fits all of text: `*` is any run of characters,
// `?` one, everything else itself. It takes time in len(glob) * len(text) at
// most, whatever they hold.
func match(glob, text string) bool {
	star, mark := -1, 0 // where to try again: after the last star, one character on
	g, t := 0, 0
	for t < len(text) {
		_, size := utf8.DecodeRuneInString(text[t:])
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, t
			g++
		case g < len(glob) && glob[g] == '?':
			g++
			t += size
		case g < len(glob) && glob[g] == text[t]:
			g++
			t++
		case star >= 0:
			_, size := utf8.DecodeRuneInString(text[mark:])
			mark += size
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
