package format

import (
	"bytes"
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// passes is how often a text is formatted until it stays as it is. One is enough
// for nearly all; aligning can move what the next pass aligns by.
const passes = 8

var (
	errUnstable = errors.New("format: the layout doesn't settle; this is an error in sandlot, please report it with the file")
	errChanged  = errors.New("format: the result would mean something else; this is an error in sandlot, please report it with the file")
)

// Text lays out a text that has no syntax errors. Its line endings stay; a byte
// order mark goes, and a last line gets its end.
func Text(src []byte) ([]byte, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	out := ended(src)
	for range passes {
		next := ended(hclwrite.Format(out))
		if bytes.Equal(next, out) {
			if !sameTokens(src, out) {
				return nil, errChanged
			}
			return out, nil
		}
		out = next
	}
	return nil, errUnstable
}

// ended gives the last line the end that the first one has.
func ended(src []byte) []byte {
	if len(src) == 0 || src[len(src)-1] == '\n' {
		return src
	}
	end := "\n"
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		end = "\r\n"
	}
	return append(bytes.Clone(src), end...)
}

// sameTokens reports whether two texts differ in nothing but the whitespace
// between their tokens, and the end of the last line.
func sameTokens(a, b []byte) bool {
	x, y := tokens(a), tokens(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Type != y[i].Type || !bytes.Equal(x[i].Bytes, y[i].Bytes) {
			return false
		}
	}
	return true
}

func tokens(src []byte) hclsyntax.Tokens {
	list, _ := hclsyntax.LexConfig(ended(src), "", hcl.InitialPos)
	return list
}
