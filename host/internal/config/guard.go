package config

import (
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Bounds on what the parser is given. It recurses on nesting, on runs of prefix
// operators and on chains of splats, and a stack overflow ends the process: it
// can't be recovered. Some of what it does takes quadratic time. The lexer doesn't recurse, so it looks first.
const (
	maxFile      = 1 << 20
	maxDepth     = 200
	maxOperators = 20000 // in one file
	maxPieces    = 5000  // of one text: its lines, or its $ and % signs; the parser copies the text for each
)

// guard lexes src and refuses what the parser might overflow on. Template is for
// the files of templatefile(), which are templates and not bodies.
func guard(src []byte, name string, template bool) hcl.Diagnostics {
	start := hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
	if len(src) > maxFile {
		return hcl.Diagnostics{problem(&start, "File too large",
			"%s has %d bytes; the limit is %d. Split it into several *.sandlot.hcl files.", name, len(src), maxFile)}
	}
	if d := guardUTF8(src, name); d != nil {
		return hcl.Diagnostics{d}
	}
	lex := hclsyntax.LexConfig
	if template {
		lex = hclsyntax.LexTemplate
	}
	tokens, _ := lex(src, name, hcl.InitialPos) // the parser reports what the lexer found
	return nested(tokens)
}

func guardUTF8(src []byte, name string) *hcl.Diagnostic {
	if utf8.Valid(src) {
		return nil
	}
	pos := hcl.InitialPos
	for pos.Byte < len(src) {
		r, n := utf8.DecodeRune(src[pos.Byte:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		pos.Column++
		if r == '\n' {
			pos.Line, pos.Column = pos.Line+1, 1
		}
		pos.Byte += n
	}
	end := pos
	end.Byte, end.Column = end.Byte+1, end.Column+1
	return problem(&hcl.Range{Filename: name, Start: pos, End: end}, "Not UTF-8",
		"%s has a byte here that isn't valid UTF-8. Save the file as UTF-8.", name)
}

// opensDirective is how a template directive such as `%{ if` changes the depth:
// the parser recurses until its `%{ endif`.
func opensDirective(rest hclsyntax.Tokens) int {
	if len(rest) == 0 || rest[0].Type != hclsyntax.TokenIdent {
		return 0
	}
	switch string(rest[0].Bytes) {
	case "if", "for":
		return 1
	case "endif", "endfor":
		return -1
	}
	return 0
}
