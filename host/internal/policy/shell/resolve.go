package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// resolve makes the word that the shell would pass on.
func resolve(w *syntax.Word) Word {
	if expands(*w) {
		return Word(Hole)
	}
	return whole(w)
}

// whole is a word whose braces stay as they are, as those of a value do that is assigned.
func whole(w *syntax.Word) Word {
	var out strings.Builder
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			if before, set := setOf(lit.Value); set && i < len(w.Parts)-1 { // characters of it may be anywhere behind
				return Word(out.String()) + unquoted(before, i == 0, false) + Word(Hole)
			}
			out.WriteString(string(unquoted(lit.Value, i == 0, i == len(w.Parts)-1)))
			continue
		}
		out.WriteString(string(resolvePart(part, false)))
	}
	return Word(out.String())
}

// setOf cuts a text that stands in no quotes before the `[` of a set of characters.
func setOf(text string) (before string, set bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			return text[:i], true
		}
	}
	return text, false
}

// expands reports whether a word becomes several by its braces.
func expands(w syntax.Word) bool {
	syntax.SplitBraces(&w)
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}

func resolvePart(part syntax.WordPart, quoted bool) Word {
	switch part := part.(type) {
	case *syntax.Lit: // in double quotes
		return literal(unescape(part.Value))
	case *syntax.SglQuoted:
		if !part.Dollar {
			return literal(part.Value)
		}
		text, _, err := expand.Format(nil, part.Value, nil)
		if err != nil || strings.ContainsRune(text, 0) || strings.Contains(part.Value, `\c`) || strings.Contains(part.Value, `\x{`) {
			return Word(Slot) // bash ends the string there, or reads what the package doesn't
		}
		return literal(text)
	case *syntax.DblQuoted:
		var out strings.Builder
		for _, inner := range part.Parts {
			out.WriteString(string(resolvePart(inner, true)))
		}
		return Word(out.String())
	case *syntax.ProcSubst, *syntax.ArithmExp:
		return Word(Slot)
	case *syntax.ParamExp:
		if quoted && !manyWords(part) {
			return Word(Slot)
		}
	case *syntax.CmdSubst:
		if quoted {
			return Word(Slot)
		}
	}
	return Word(Hole)
}

// manyWords reports whether an expansion can be several words even in quotes, as
// "$@" and "${a[@]}" are.
func manyWords(p *syntax.ParamExp) bool {
	return p.Param == nil || p.Param.Value == "@" || p.Index != nil || p.Names != 0 || p.Excl
}

// unquoted reads text that stands in no quotes: a backslash keeps the next
// character, and patterns stand for the names of files.
func unquoted(text string, first, last bool) Word {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				out.WriteString(string(literal(text[i : i+1])))
			}
		case c == '*' || c == '?' || c == '[' && (!last || strings.Contains(text[i:], "]")):
			out.WriteRune(Hole)
		case c == '~' && i == 0 && first:
			out.WriteRune(Slot)
			for i+1 < len(text) && text[i+1] != '/' {
				i++
			}
		default:
			out.WriteByte(c)
		}
	}
	return guarded(out.String(), text)
}

// guarded replaces runes that were in the text before this package put its own
// there: then all of it is unknown.
func guarded(made, from string) Word {
	if strings.ContainsAny(from, string([]rune{Hole, Slot})) {
		return Word(Hole)
	}
	return Word(made)
}

// unescape takes away the backslashes that have a meaning in double quotes.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
