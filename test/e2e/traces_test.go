//go:build linux

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// piece is the length in bytes of a part of a secret that is no longer there by
// chance.
const piece = 12

// traces are the ways in which a text holds a secret, or a piece of it. It works
// by making texts from the value, and looking for them, where what scrubs reads a
// text and takes characters back; nothing is shared between the two.
func traces(text []byte, value string) []string {
	var found []string
	look := func(how string, in []byte, forms ...string) {
		for _, form := range forms {
			if len(form) >= piece && bytes.Contains(in, []byte(form)) {
				found = append(found, how)
				return
			}
		}
	}
	dense := bytes.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, bytes.ReplaceAll(text, []byte(`\n`), nil))
	digits := bytes.Map(func(r rune) rune {
		if strings.ContainsRune(`:-%\x,`, r) {
			return -1
		}
		return r
	}, dense)
	for _, line := range strings.Split(value, "\n") {
		if len(line) < piece {
			continue
		}
		for i := range len(line) - piece + 1 {
			part := line[i : i+piece]
			quoted, _ := json.Marshal(part)
			again, _ := json.Marshal(string(quoted))
			look("plain", text, part)
			look("JSON", text, string(quoted[1:len(quoted)-1]), string(again[3:len(again)-3]))
			look("quotes of Go", text, strings.Trim(strconv.Quote(part), `"`))
			look("a URL", text, url.QueryEscape(part), url.PathEscape(part), everyByte("%%%02x", part), everyByte("%%%02X", part))
			look("hexadecimal digits", digits, hex.EncodeToString([]byte(part)))
		}
		for shift := range 3 {
			encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + line))
			middle := encoded[(shift*8+5)/6 : len(encoded)-2]
			other := strings.NewReplacer("+", "-", "/", "_").Replace(middle)
			for i := 0; i+2*piece <= len(middle); i++ {
				// Letters count in base64, which dense has lost: what is left suffices.
				look("base64", dense, strings.ToLower(middle[i:i+2*piece]), strings.ToLower(other[i:i+2*piece]))
			}
		}
	}
	return found
}

func everyByte(format, text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}
