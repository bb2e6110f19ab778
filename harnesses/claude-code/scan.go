package main

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
)

// scanner walks through JSON without spaces that holds objects, strings, whole
// numbers and null. Anything else fails it. What it gives out are parts of the
// line where they can be.
//
//	for key := s.open(); key != nil; key = s.next() {
//		// take the value
//	}
type scanner struct {
	rest   []byte
	failed bool
}

func (s *scanner) take(want byte) bool {
	if len(s.rest) == 0 || s.rest[0] != want {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) fail() []byte {
	s.failed = true
	return nil
}

// open begins an object and returns its first key; nil: it has none.
func (s *scanner) open() []byte {
	switch {
	case !s.take('{'):
		return s.fail()
	case s.take('}'):
		return nil
	}
	return s.key()
}

// next goes on to the next key of an object, whose value was taken; nil: the
// object is over.
func (s *scanner) next() []byte {
	switch {
	case s.failed || s.take('}'):
		return nil
	case !s.take(','):
		return s.fail()
	}
	return s.key()
}

// key takes a key and the colon. It must be plain and in lower case: encoding/json
// takes keys in any case for those it knows.
func (s *scanner) key() []byte {
	key, escaped := s.quoted()
	if escaped || len(key) == 0 || !s.take(':') {
		return s.fail()
	}
	for _, c := range key {
		if c >= 0x80 || 'A' <= c && c <= 'Z' {
			return s.fail()
		}
	}
	return key
}

// text takes a string; null leaves what was there.
func (s *scanner) text(was []byte) []byte {
	if s.null() {
		return was
	}
	from := s.rest
	inside, escaped := s.quoted()
	if !escaped {
		return inside
	}
	var out string
	if json.Unmarshal(from[:len(inside)+len(`""`)], &out) != nil {
		return s.fail()
	}
	return []byte(out)
}

func (s *scanner) null() bool {
	if len(s.rest) < 4 || string(s.rest[:4]) != "null" {
		return false
	}
	s.rest = s.rest[4:]
	return true
}

// quoted takes a string and returns its inside.
func (s *scanner) quoted() (inside []byte, escaped bool) {
	if !s.take('"') {
		return s.fail(), false
	}
	for i := 0; ; i++ {
		i += special(s.rest[i:])
		switch {
		case i == len(s.rest):
			return s.fail(), false
		case s.rest[i] == '"':
			inside, s.rest = s.rest[:i], s.rest[i+1:]
			return inside, escaped
		case s.rest[i] != '\\' || i+1 == len(s.rest) || s.rest[i+1] < ' ':
			return s.fail(), false
		}
		escaped = true
		i++
	}
}

// special is where the first quote, backslash or control character stands, or the
// length: eight bytes are looked at in one go.
func special(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		v := binary.LittleEndian.Uint64(b[i:])
		quote, slash := v^ones*'"', v^ones*'\\'
		// Borrows may mark a byte behind one that is marked rightly, never the first.
		marks := ((quote-ones)&^quote | (slash-ones)&^slash | (v-ones*' ')&^v) & high
		if marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] < ' ' || b[i] == '"' || b[i] == '\\' {
			break
		}
	}
	return i
}

func (s *scanner) integer() int {
	end := 0
	for end < len(s.rest) && s.rest[end] >= '0' && s.rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(s.rest[:end]))
	if err != nil || (end > 1 && s.rest[0] == '0') {
		s.failed = true
	}
	s.rest = s.rest[end:]
	return n
}

// skip takes a value that nobody wants to know.
func (s *scanner) skip() {
	switch {
	case len(s.rest) == 0:
		s.failed = true
	case s.rest[0] >= '0' && s.rest[0] <= '9':
		s.integer()
	default:
		s.text(nil)
	}
}
