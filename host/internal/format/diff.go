package format

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff is what changes, as a unified diff that `git apply` and `patch -p1` take.
// Name is the file's, relative to where these will run. Nothing if nothing does.
func (f Formatted) Diff(name string) []byte {
	name = strings.TrimLeft(filepath.ToSlash(name), "/")
	text := diff.Diff(quoted("a/"+name), f.Before, quoted("b/"+name), f.After)
	_, text, _ = bytes.Cut(text, []byte("\n")) // the line "diff A B", which these don't know
	return text
}

// quoted is a name as diffs have it: in quotes if there is in it what would end it
// or break its line, and with a tab behind one that has spaces.
func quoted(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return strconv.QuoteToASCII(name)
	}
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}
