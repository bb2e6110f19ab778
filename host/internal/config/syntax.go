package config

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// MaxSource is how many bytes a file may have.
const MaxSource = maxFile

// ReadSource reads a file as Load does: a regular one, of which no more is read
// than it takes to see that it is too large.
func ReadSource(path string) ([]byte, error) { return readFile(path) }

// IsSource reports whether a file of that name counts in a project's folder, as
// configuration or as values of variables.
func IsSource(name string) bool {
	return name != "" && name[0] != '.' && (name == mainFile || len(name) > len(fileSuffix) && name[len(name)-len(fileSuffix):] == fileSuffix)
}

// Syntax reports what is wrong with a file by itself: its size, its nesting, its
// syntax. The file is for [Render], and has stars for all that may be a secret.
func Syntax(src []byte, name string) (*hcl.File, hcl.Diagnostics) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	file := &hcl.File{Bytes: src}
	diags := guard(src, name, false)
	if !diags.HasErrors() {
		parsed, more := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
		if parsed != nil {
			file = parsed
		}
		if diags = more; diags.HasErrors() {
			diags = first(diags)
		}
	}
	files := map[string]*hcl.File{name: file}
	maskSources(files, topNames(src, name), nil)
	return files[name], tidy(diags)
}

// topNames are the names of a file of values; without their declarations each may
// be a sensitive one.
func topNames(src []byte, name string) map[string]bool {
	names := map[string]bool{}
	if len(src) > maxFile {
		return names
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	depth := 0
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenIdent:
			if depth == 0 && slices.IndexFunc(tokens[i+1:min(i+2, len(tokens))], func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenEqual }) == 0 {
				names[string(t.Bytes)] = true
			}
		}
	}
	return names
}
