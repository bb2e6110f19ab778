package config

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// parse reads and parses one file and keeps it for diagnostics.
func (l *loader) parse(path string) (*hclsyntax.Body, hcl.Diagnostics) {
	name := shown(path, l.opts.Dir)
	src, err := readFile(path)
	if err != nil {
		at := hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
		return nil, hcl.Diagnostics{problem(&at, "File can't be read", "%s.", err)}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) // a byte order mark would move the columns of line 1
	l.files[name] = &hcl.File{Bytes: src}
	if diags := guard(src, name, false); diags.HasErrors() {
		return nil, diags
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if file != nil {
		l.files[name] = file
	}
	if diags.HasErrors() {
		return nil, first(diags)
	}
	body := file.Body.(*hclsyntax.Body)
	boundLoops(body)
	return body, diags
}

// first is the first syntax error alone: the parser takes what follows it for
// something else, and finds fault with all of that.
func first(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range tidy(diags) {
		if d.Severity == hcl.DiagError {
			return hcl.Diagnostics{d}
		}
	}
	return diags
}
