package config

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maskSources replaces the files by copies in which the literals that are or may
// be secret values are stars: a diagnostic shows the source line it is about.
// Lengths stay, so that positions do. It goes by tokens, since a file that
// doesn't parse is shown too.
func maskSources(files map[string]*hcl.File, sensitive map[string]bool, scrub scrubber) {
	for name, f := range files {
		copied := *f
		copied.Bytes = slices.Clone(f.Bytes)
		if len(copied.Bytes) > maxFile { // refused unread, and too long to mask
			copied.Bytes = nil
		}
		maskLiterals(copied.Bytes, name, sensitive)
		scrub.bytes(copied.Bytes)
		if nav, ok := f.Nav.(navigator); ok {
			copied.Nav = scrubbedNav{nav, scrub}
		}
		files[name] = &copied
	}
}

// navigator is what a renderer asks for the header of the block it is in.
type navigator interface{ ContextString(offset int) string }

type scrubbedNav struct {
	navigator
	scrub scrubber
}

func (n scrubbedNav) ContextString(offset int) string {
	return n.scrub.text(n.navigator.ContextString(offset))
}

func maskLiterals(src []byte, name string, sensitive map[string]bool) {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	ends, flagged := blockEnds(tokens), nextWord(tokens, "sensitive")
	lineStart := true
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		word := ""
		if lineStart && t.Type == hclsyntax.TokenIdent {
			word = string(t.Bytes)
		}
		lineStart = t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenOBrace || t.Type == hclsyntax.TokenComment
		switch {
		case word == "secret":
			i = maskBlock(src, tokens, i, ends[i], func(attr string) bool { return !slices.Contains([]string{"env", "file", "command"}, attr) })
			lineStart = true
		case word == "variable" && flagged[i] < ends[i]:
			i = maskBlock(src, tokens, i, ends[i], func(attr string) bool { return attr == "default" })
			lineStart = true
		case sensitive[word] && i+1 < len(tokens) && tokens[i+1].Type == hclsyntax.TokenEqual: // a file of values
			for i += 2; i < len(tokens) && tokens[i].Type != hclsyntax.TokenNewline; i++ {
				star(src, tokens[i])
			}
			lineStart = true
		}
	}
}

// blockEnds is, for each token, where a block that begins with it ends: the brace
// that closes the first one on its line, or the end of the line. It goes backwards
// once: a file of unclosed blocks would take a forward search quadratic time.
func blockEnds(tokens hclsyntax.Tokens) []int {
	closers := make([]int, len(tokens)) // of opening tokens
	var open []int
	for i, t := range tokens {
		closers[i] = len(tokens)
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, i)
		case hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd:
			if n := len(open); n > 0 {
				closers[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	ends := make([]int, len(tokens))
	end := len(tokens)
	for i := len(tokens) - 1; i >= 0; i-- {
		switch tokens[i].Type {
		case hclsyntax.TokenNewline:
			end = i
		case hclsyntax.TokenOBrace:
			end = closers[i]
		}
		ends[i] = end
	}
	return ends
}

// nextWord is, for each token, the index of the next identifier word.
func nextWord(tokens hclsyntax.Tokens, word string) []int {
	next := make([]int, len(tokens))
	at := len(tokens)
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Type == hclsyntax.TokenIdent && string(tokens[i].Bytes) == word {
			at = i
		}
		next[i] = at
	}
	return next
}

// maskBlock stars the literals of the block from i to end, but for its label, where
// hide says so of the attribute they belong to. It returns end.
func maskBlock(src []byte, tokens hclsyntax.Tokens, i, end int, hide func(attr string) bool) int {
	attr, inBody := "", false
	wellFormed := i+4 < len(tokens) && tokens[i+1].Type == hclsyntax.TokenOQuote && tokens[i+2].Type == hclsyntax.TokenQuotedLit &&
		tokens[i+3].Type == hclsyntax.TokenCQuote && tokens[i+4].Type == hclsyntax.TokenOBrace
	for j := i + 1; j < end; j++ {
		switch t := tokens[j]; t.Type {
		case hclsyntax.TokenOBrace:
			inBody = true
		case hclsyntax.TokenIdent:
			if j+1 < len(tokens) && tokens[j+1].Type == hclsyntax.TokenEqual {
				attr = string(t.Bytes)
			} else if !wellFormed {
				star(src, t)
			}
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit, hclsyntax.TokenNumberLit:
			if !wellFormed || inBody && hide(attr) {
				star(src, t)
			}
		}
	}
	return end
}

func star(src []byte, t hclsyntax.Token) {
	for k := t.Range.Start.Byte; k < t.Range.End.Byte && k < len(src); k++ {
		if src[k] != '\n' && src[k] != '\r' {
			src[k] = '*'
		}
	}
}

// namesAlone is a file of values with nothing in it but the names that something
// is given to.
func namesAlone(src []byte, name string) []byte {
	if len(src) > maxFile { // refused unread
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	out := bytes.Clone(src)
	for i, c := range out {
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			out[i] = '*'
		}
	}
	lineStart := true
	for i, t := range tokens {
		if lineStart && t.Type == hclsyntax.TokenIdent && i+2 < len(tokens) && tokens[i+1].Type == hclsyntax.TokenEqual &&
			tokens[i+2].Type != hclsyntax.TokenNewline && tokens[i+2].Type != hclsyntax.TokenEOF { // else perhaps the padding of base64
			copy(out[t.Range.Start.Byte:], src[t.Range.Start.Byte:tokens[i+1].Range.End.Byte])
		}
		lineStart = t.Type == hclsyntax.TokenNewline
	}
	return out
}

// scrubber knows the values of this project that may not be shown.
type scrubber []string

func (s *scrubber) add(value string) {
	if len(value) >= 4 && !slices.Contains(*s, value) { // a shorter one would blot out every message
		*s = append(*s, value)
		slices.SortFunc(*s, func(a, b string) int { return len(b) - len(a) }) // a longer one may hold a shorter one
	}
}

func (s scrubber) text(text string) string {
	for _, value := range s {
		text = strings.ReplaceAll(text, value, "***")
	}
	return text
}

func (s scrubber) diagnostics(diags hcl.Diagnostics) {
	for _, d := range diags {
		d.Summary, d.Detail = s.text(d.Summary), s.text(d.Detail)
	}
}

// bytes stars values in a source.
func (s scrubber) bytes(src []byte) {
	for _, value := range s {
		copy(src, bytes.ReplaceAll(src, []byte(value), bytes.Repeat([]byte("*"), len(value))))
	}
}
