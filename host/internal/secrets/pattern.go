package secrets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

const (
	// maxQuoted is how many backslashes may stand where one quotes a character: four
	// levels of JSON in JSON.
	maxQuoted = 16
	// maxIndent is how far a line of a base64 text may be indented, in bytes.
	maxIndent = 64
)

// pattern is a text as one looks for it: tools mix the ways of writing a
// character freely, so a list of encoded texts would never be complete.
type pattern []*letter

// letter is a character of a pattern.
type letter struct {
	plain    byte // it is written in this way alone; else 0
	ways     []spelling
	run      int  // this many backslashes, beside what ways says
	gap      bool // the end of a line and an indentation, or nothing
	optional bool
}

// spelling is one way to write a character. A backslash in its text stands for one
// to [maxQuoted] of them.
type spelling struct {
	text string
	fold bool // letters may be in upper or lower case
}

func surrogates(r rune) string {
	hi, lo := utf16.EncodeRune(r)
	return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
}

// match is the length of the longest text that data begins with and the pattern
// fits, or 0. More tells that it could be longer if data went on.
func (p pattern) match(data []byte) (n int, more bool) {
	var here, there [16]int
	at, next := append(here[:0], 0), there[:0]
	for i := range p {
		if l := p[i]; l.plain != 0 && len(at) == 1 { // most are, and most texts are no secret
			switch {
			case at[0] == len(data):
				return 0, true
			case data[at[0]] != l.plain:
				return 0, more
			}
			at[0]++
			continue
		}
		next = next[:0]
		for _, from := range at {
			var m bool
			next, m = p[i].ends(data, from, next)
			more = more || m
		}
		if len(next) == 0 {
			return 0, more
		}
		at, next = next, at
	}
	return slices.Max(at), more
}

// longest is the length in bytes of the longest text that fits.
func (p pattern) longest() int {
	n := 0
	for i, l := range p {
		most := l.run * maxQuoted
		for _, way := range l.ways {
			most = max(most, len(way.text)+strings.Count(way.text, `\`)*(maxQuoted-1))
		}
		if l.gap && i%16 == 1 { // no tool's lines are shorter
			most = 2*maxQuoted + 2 + maxIndent
		}
		n += most
	}
	return n
}

// ends adds to out where the letter may end that begins at data[from].
func (l *letter) ends(data []byte, from int, out []int) (_ []int, more bool) {
	add := func(end int) {
		if !slices.Contains(out, end) {
			out = append(out, end)
		}
	}
	if l.gap {
		end, m := lineEnd(data, from)
		add(from)
		add(end)
		return out, m
	}
	if l.optional {
		add(from)
	}
	if l.run > 0 {
		n := backslashesAt(data, from, l.run*maxQuoted)
		more = from+n == len(data)
		for doubled := l.run; doubled <= n; doubled *= 2 {
			add(from + doubled)
		}
	}
	for _, way := range l.ways {
		end, m := way.end(data, from)
		more = more || m
		if end > 0 {
			add(end)
		}
	}
	return out, more
}

// end is where the spelling ends that begins at data[from]; 0 if it doesn't.
func (s spelling) end(data []byte, from int) (end int, more bool) {
	for i := range len(s.text) {
		if from == len(data) {
			return 0, true
		}
		c, d := s.text[i], data[from]
		if c == '\\' {
			n := backslashesAt(data, from, maxQuoted)
			if n == 0 {
				return 0, false
			}
			from += n
			continue
		}
		if s.fold {
			c, d = lower(c), lower(d)
		}
		if c != d {
			return 0, false
		}
		from++
	}
	return from, false
}

func backslashesAt(data []byte, from, most int) int {
	n := 0
	for from+n < len(data) && n < most && data[from+n] == '\\' {
		n++
	}
	return n
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lineEnd is where the line goes on that ends at data[from], or from.
func lineEnd(data []byte, from int) (end int, more bool) {
	if from == len(data) {
		return from, true
	}
	if !bytes.ContainsRune([]byte("\r\n\\"), rune(data[from])) {
		return from, false
	}
	for _, way := range []spelling{{text: "\n"}, {text: "\r\n"}, {text: `\n`}, {text: `\r\n`}} {
		end, m := way.end(data, from)
		more = more || m
		if end == 0 {
			continue
		}
		for most := end + maxIndent; end < most && end < len(data) && (data[end] == ' ' || data[end] == '\t'); {
			end++
		}
		return end, more || end == len(data)
	}
	return from, more
}
