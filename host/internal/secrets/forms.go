package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// formsOf are the ways a value is looked for in output.
func formsOf(value string) []string {
	forms := []string{value}
	for _, escape := range []func(string) string{jsonPlain, jsonHTML, jsonASCII, jsonSlash} {
		once := escape(value)
		forms = append(forms, once, escape(once)) // twice: an event holds tool arguments that are JSON themselves
	}
	forms = append(forms, url.QueryEscape(value), url.PathEscape(value), percent(value, "-._~"), percent(value, "-_.!~*'()"))
	for _, form := range forms[len(forms)-4:] {
		forms = append(forms, lowerHex(form))
	}
	forms = append(forms, patchForms(value)...)
	return append(forms, base64Forms(value)...)
}

// patchForms are a value of several lines as it stands in a patch, where each
// line begins with a sign.
func patchForms(value string) []string {
	value = strings.TrimRight(value, "\n")
	if len(value) < shortest || !strings.Contains(value, "\n") {
		return nil
	}
	var forms []string
	for _, sign := range []string{"+", "-", " "} {
		forms = append(forms, strings.ReplaceAll(value, "\n", "\n"+sign))
	}
	return forms
}

func jsonPlain(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), `"`), "\"\n")
}

func jsonHTML(s string) string {
	data, _ := json.Marshal(s)
	return string(data[1 : len(data)-1])
}

// jsonASCII escapes everything beyond ASCII, as Python's encoder does.
func jsonASCII(s string) string {
	var out strings.Builder
	for _, r := range jsonPlain(s) {
		switch {
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// jsonSlash escapes slashes too, as PHP's encoder does.
func jsonSlash(s string) string { return strings.ReplaceAll(jsonPlain(s), "/", `\/`) }

// percent encodes every byte but letters, digits and those in keep.
func percent(s, keep string) string {
	var out strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(keep, c) >= 0:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// lowerHex is a percent-encoded string with its hex digits in lower case.
func lowerHex(s string) string {
	out := []byte(s)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:i+3], bytes.ToLower(out[i+1:i+3]))
		}
	}
	return string(out)
}

// base64Forms are what every base64 text that holds the value has in common, for
// the three positions the value may have in a group of three bytes, and the whole
// encodings of the value alone.
func base64Forms(value string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, enc.EncodeToString([]byte(value)), enc.WithPadding(base64.NoPadding).EncodeToString([]byte(value)))
		for shift := range 3 {
			text := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), value...))
			// The first and last digit may hold bits of the neighbours: leave them out.
			first := (shift*8 + 5) / 6
			last := (shift + len(value)) * 8 / 6
			forms = append(forms, text[first:last])
		}
	}
	return forms
}
