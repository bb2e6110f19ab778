package format_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// tokensOf lists the tokens of a text: all that has a meaning, and comments.
func tokensOf(src []byte) string {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if len(src) > 0 && src[len(src)-1] != '\n' { // a line has an end, but for the last one
		end := "\n"
		if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
			end = "\r\n"
		}
		src = append(bytes.Clone(src), end...)
	}
	list, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var out strings.Builder
	for _, t := range list {
		fmt.Fprintf(&out, "%s %q\n", t.Type, t.Bytes)
	}
	return out.String()
}
