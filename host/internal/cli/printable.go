package cli

import (
	"strings"
	"unicode"
)

// printable makes text of an agent or a backend safe for a terminal: control
// characters could move the cursor, and those that turn the direction of text
// could make one command look like another. Newlines and tabs stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\ufeff':
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// indented is printable text whose further lines can't be taken for lines of
// ours.
func indented(s string) string {
	return strings.ReplaceAll(strings.TrimRight(printable(s), "\n"), "\n", "\n    ")
}

// oneLine is text as one line of at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
