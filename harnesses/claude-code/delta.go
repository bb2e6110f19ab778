package main

import (
	"encoding/json"
	"strconv"
)

// delta is a piece of a message that is streamed: nearly every line is one.
type delta struct {
	parent string
	index  int
	kind   string // e.g. "text_delta"
	text   string
}

// fastDelta reads a line that is a delta, several times as fast as encoding/json
// would. It is strict and knows only the usual form: what it doesn't take is
// read again the slow way, so that both say the same.
func fastDelta(line []byte) (delta, bool) {
	var d delta
	var kind, event string
	s := scanner{rest: line}
	s.object(func(key string) {
		switch key {
		case "type":
			kind = s.text()
		case "parent_tool_use_id":
			d.parent = s.text()
		case "event":
			if event != "" {
				s.failed = true
			}
			s.object(func(key string) {
				switch key {
				case "type":
					event = s.text()
				case "index":
					d.index = s.integer()
				case "delta":
					s.object(d.member(&s))
				default:
					s.skip()
				}
			})
		default:
			s.skip()
		}
	})
	ok := !s.failed && len(s.rest) == 0 && kind == "stream_event" && event == "content_block_delta"
	return d, ok
}

func (d *delta) member(s *scanner) func(string) {
	return func(key string) {
		switch key {
		case "type":
			d.kind = s.text()
		case "text", "thinking", "partial_json":
			if d.text != "" {
				s.failed = true // several: which counts, the slow way knows
			}
			d.text = s.text()
		default:
			s.skip()
		}
	}
}

// scanner walks through JSON without spaces that holds objects, strings, whole
// numbers and null. Anything else fails it.
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

// object calls member for each key; it must take the value.
func (s *scanner) object(member func(key string)) {
	if !s.take('{') {
		s.failed = true
		return
	}
	if s.take('}') {
		return
	}
	for !s.failed {
		key := s.text()
		if key == "" || !s.take(':') {
			break
		}
		member(key)
		if s.take('}') {
			return
		}
		if !s.take(',') {
			break
		}
	}
	s.failed = true
}

// text takes a string, or null, which is empty.
func (s *scanner) text() string {
	if len(s.rest) >= 4 && string(s.rest[:4]) == "null" {
		s.rest = s.rest[4:]
		return ""
	}
	raw, escaped := s.quoted()
	switch {
	case s.failed:
		return ""
	case !escaped:
		return string(raw[1 : len(raw)-1])
	}
	var out string
	if json.Unmarshal(raw, &out) != nil {
		s.failed = true
	}
	return out
}

// quoted takes a string with its quotes.
func (s *scanner) quoted() (raw []byte, escaped bool) {
	if len(s.rest) == 0 || s.rest[0] != '"' {
		s.failed = true
		return nil, false
	}
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			raw, s.rest = s.rest[:i+1], s.rest[i+1:]
			return raw, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.failed = true
			return nil, false
		}
	}
	s.failed = true
	return nil, false
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
	case s.rest[0] == '"':
		if raw, escaped := s.quoted(); escaped && !json.Valid(raw) {
			s.failed = true
		}
	default:
		s.text() // null, or nothing that is known here
	}
}
