package reference

import (
	"net/url"
	"strings"
	"unicode"
)

// longest is how many characters of one text of a plugin a page takes.
const longest = 2000

// plain is a text of a plugin as words of one line.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\ufeff':
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return s
}

// words is a text as Markdown that says the same and does nothing. Underscores are
// left: inside of words they mean nothing, and names are full of them.
func words(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "|", `\|`, "*", `\*`).Replace(plain(s))
}

// code is a text as a code span of a table's cell.
func code(s string) string {
	s = plain(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 || s == "" { // a span's backticks need space between them and its fence
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

func codes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	return strings.Join(out, ", ")
}

// link is a link to a web page; another address is shown as words.
func link(text, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsAny(address, " <>()\"\\`") || address != plain(address) {
		return text + ": " + words(address)
	}
	return "[" + text + "](" + address + ")"
}
