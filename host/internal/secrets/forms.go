package secrets

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// speller makes patterns. It keeps the letters that it has made: a key file of
// some thousand characters has few different ones.
type speller map[string]*letter

// patterns are what is looked for of a value: itself, each of its lines, since
// tools number, indent and cut lines, and what is encoded of it as bytes.
func (s speller) patterns(value string) []pattern {
	text := strings.TrimRight(value, "\r\n") // which few print along
	if len(text) < shortest {
		text = value
	}
	patterns := []pattern{s.spell(text)}
	if lines := strings.Split(text, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= shortest {
				patterns = append(patterns, s.spell(line))
			}
		}
	}
	return append(append(patterns, s.base64(value, text)...), s.hex(text))
}

// hex is the text as hexadecimal digits, two a byte, with what tools put between
// the bytes.
func (s speller) hex(text string) pattern {
	var p pattern
	for i := range len(text) {
		if i > 0 {
			p = append(p, s.kept("between", between))
		}
		p = append(p, s.kept("hex"+text[i:i+1], func() *letter {
			return &letter{ways: []spelling{{fmt.Sprintf("%02x", text[i]), true}}}
		}))
	}
	return p
}

func between() *letter {
	l := &letter{optional: true}
	for _, way := range []string{" ", "  ", ":", "-", "%", `\x`, `\u00`, " 0x", ", 0x", ",0x", ", ", ",", "\n", "\n ", "\r\n", `\n`, `\n `} {
		l.ways = append(l.ways, spelling{text: way})
	}
	return l
}

// spell gives each character of a text its spellings.
func (s speller) spell(text string) pattern {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var p pattern
	for len(text) > 0 {
		if n := len(text) - len(strings.TrimLeft(text, `\`)); n > 0 {
			p = append(p, s.kept(text[:n], func() *letter { return backslashes(n) }))
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		p = append(p, s.kept(text[:n], func() *letter { return character(text[:n], r) }))
		text = text[n:]
	}
	return p
}

// base64 is what every base64 text that holds the value has in common,
// for the three positions the value may have in a group of three bytes, and the
// whole encoding of the value alone.
func (s speller) base64(value, text string) []pattern {
	patterns := []pattern{s.digits(base64.StdEncoding.EncodeToString([]byte(value)))}
	for shift := range 3 {
		all := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), text...))
		// The first and last digit may hold bits of the neighbours: leave them out.
		patterns = append(patterns, s.digits(all[(shift*8+5)/6:(shift+len(text))*8/6]))
	}
	return patterns
}

// digits is a base64 text in both alphabets, also in lines, with or without padding.
func (s speller) digits(text string) pattern {
	var p pattern
	for i := range len(text) {
		if i > 0 {
			p = append(p, s.kept("gap", func() *letter { return &letter{gap: true} }))
		}
		p = append(p, s.kept("digit"+text[i:i+1], func() *letter { return digit(text[i : i+1]) }))
	}
	return p
}

func digit(c string) *letter {
	l := character(c, rune(c[0]))
	switch c {
	case "+":
		l.ways = append(l.ways, spelling{text: "-"})
	case "/":
		l.ways = append(l.ways, spelling{text: "_"})
	case "=":
		l.optional = true
	}
	return l
}

func (s speller) kept(name string, fresh func() *letter) *letter {
	if s[name] == nil {
		s[name] = fresh()
	}
	return s[name]
}

// backslashes are n of them, each of which every level of quoting doubles.
func backslashes(n int) *letter {
	l := &letter{run: n}
	for _, sign := range []string{"%5C", "%255C"} {
		l.ways = append(l.ways, spelling{strings.Repeat(sign, n), true})
	}
	return l
}

// character is one character, other than a backslash, with what JSON, URLs, HTML
// and the quoting of shells and programming languages make of it.
func character(raw string, r rune) *letter {
	l := &letter{ways: []spelling{{text: raw}}}
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
		l.plain = byte(r)
		return l
	}
	add := func(fold bool, texts ...string) {
		for _, text := range texts {
			l.ways = append(l.ways, spelling{text, fold})
		}
	}
	add(true, hex("%", raw), hex("%25", raw), hex(`\x`, raw))
	switch {
	case r == utf8.RuneError && len(raw) == 1: // no UTF-8: encoders replace it
		add(true, "\uFFFD", `\ufffd`)
	case r > 0xffff:
		add(true, surrogates(r), fmt.Sprintf(`\u%08x`, r)) // Python's \U
	default:
		add(true, fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\x%02x`, r)) // the latter is Python's, below 0x100
	}
	if ' ' < r && r < utf8.RuneSelf {
		add(false, `\`+raw)
	}
	add(false, others(r)...)
	return l
}

// others are spellings that a character alone has.
func others(r rune) []string {
	switch r {
	case '\n': // a patch begins each line with a sign
		return []string{`\n`, "\r\n", `\r\n`, "%0D%0A", "%0d%0a", "\n+", "\n-", "\n ", `\n+`, `\n-`, `\n `}
	case '\r':
		return []string{`\r`}
	case '\t':
		return []string{`\t`}
	case '\b':
		return []string{`\b`}
	case '\f':
		return []string{`\f`}
	case ' ':
		return []string{"+", "%2B", "%2b", `\ `}
	case '&':
		return []string{"&amp;"}
	case '<':
		return []string{"&lt;"}
	case '>':
		return []string{"&gt;"}
	case '"':
		return []string{"&quot;", "&#34;"}
	case '\'':
		return []string{"&#39;", "&apos;", `'\''`}
	}
	return nil
}

// hex is each byte as two hexadecimal digits behind a sign.
func hex(sign, raw string) string {
	var out strings.Builder
	for i := range len(raw) {
		fmt.Fprintf(&out, "%s%02x", sign, raw[i])
	}
	return out.String()
}
