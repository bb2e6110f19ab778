package secrets

import (
	"bytes"
	"slices"
)

// Redactor replaces secrets by `***`. It is safe for concurrent use. A nil
// Redactor and one without secrets return what they are given, at no cost.
type Redactor struct {
	// Patterns by the first two bytes of what fits them; pairs says quickly that
	// there are none.
	patterns map[uint16][]pattern
	all      []pattern
	values   []string
	pairs    [1 << 16 / 64]uint64
	starts   [256]bool
	longest  int
}

// newRedactor returns nil if there is nothing to look for.
func newRedactor(values []string) *Redactor {
	if len(values) == 0 {
		return nil
	}
	r := &Redactor{patterns: map[uint16][]pattern{}, values: values}
	letters := speller{}
	for _, value := range values {
		for _, p := range letters.patterns(value) {
			r.add(p)
		}
	}
	return r
}

// Hide replaces values that are no secrets of a set.
func Hide(values []string) *Redactor { return newRedactor(values) }

// With is a redactor that also replaces what more does: r itself where it does so
// already. Both may be nil.
func (r *Redactor) With(more *Redactor) *Redactor {
	switch {
	case r == nil:
		return more
	case more == nil:
		return r
	}
	all := slices.Clip(r.values)
	for _, value := range more.values {
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	if len(all) == len(r.values) {
		return r
	}
	return newRedactor(all)
}

func (r *Redactor) add(p pattern) {
	r.all = append(r.all, p)
	r.longest = max(r.longest, p.longest())
	for first := range 256 {
		if n, more := p.match([]byte{byte(first)}); n == 0 && !more {
			continue
		}
		r.starts[first] = true
		for second := range 256 {
			if n, more := p.match([]byte{byte(first), byte(second)}); n > 0 || more { // every value has at least 8 bytes
				key := uint16(first)<<8 | uint16(second)
				r.patterns[key] = append(r.patterns[key], p)
				r.pairs[key/64] |= 1 << (key % 64)
			}
		}
	}
}

// Redact returns a whole piece of output without secrets: data itself if it holds
// none, else a copy. For output that arrives in pieces use [Redactor.Stream].
func (r *Redactor) Redact(data []byte) []byte {
	if r == nil {
		return data
	}
	out, _, _ := r.scan(data, edge{}, true)
	return out
}

// Longest is the length in bytes of the longest text that is replaced: whoever
// begins to read in the middle of output begins that much before it.
func (r *Redactor) Longest() int {
	if r == nil {
		return 0
	}
	return r.longest
}

// Clean reports whether data neither holds a secret nor ends with what may be the
// beginning of one. What is clean in parts is clean.
func (r *Redactor) Clean(data []byte) bool {
	if r == nil {
		return true
	}
	clean, rest, _ := r.scan(data, edge{}, false)
	return len(rest) == 0 && len(clean) == len(data)
}

// Stream scrubs output that arrives in pieces, wherever they are cut. It isn't
// safe for concurrent use.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// Stream is the scrubbing of one stream of output.
type Stream struct {
	redactor *Redactor
	held     []byte // what may be the beginning of a secret
	given    edge   // what of that was given out: by Settle, or with a secret that overlaps it
}

// Redact takes the next piece and returns what can be said to be free of secrets:
// all of it, unless it ends with what may be the beginning of one. The result is
// valid until the next call.
func (s *Stream) Redact(data []byte) []byte {
	if s.redactor == nil {
		return data
	}
	if len(s.held) > 0 {
		data = append(s.held, data...)
	}
	out, rest, at := s.redactor.scan(data, s.given, false)
	s.given = at
	s.held = bytes.Clone(rest)
	return out
}

// Passes reports whether Redact would return the next piece as it is and hold
// nothing of it or of what was before.
func (s *Stream) Passes(data []byte) bool { return len(s.held) == 0 && s.redactor.Clean(data) }

// Held is the length in bytes of what may be the beginning of a secret, and wasn't
// given out; Redact, Settle or Close does later.
func (s *Stream) Held() int { return len(s.held) - s.given.from }

// Settle gives out what is held, for a stream whose next piece comes too late to be
// waited for, if it comes. From so many bytes on it is replaced, although it may
// be none; what is less comes as it is, and if it turns out to be a secret's
// beginning, the rest is replaced.
func (s *Stream) Settle(enough int) []byte {
	rest := s.held[s.given.from:]
	s.given.from = len(s.held)
	switch {
	case len(rest) == 0:
		return nil
	case len(s.held) < enough:
		s.given.masked = false
		return rest
	case s.given.masked:
		return nil
	}
	s.given.masked = true
	return []byte(hidden)
}

// Close returns what is left at the end of the stream.
func (s *Stream) Close() []byte {
	if s.redactor == nil {
		return nil
	}
	out, _, _ := s.redactor.scan(s.held, s.given, true)
	s.held, s.given = nil, edge{}
	return out
}

// edge is how far the beginning of a piece was given out already.
type edge struct {
	from   int  // so many bytes
	masked bool // their end was replaced
}

// scan copies data without secrets; what several secrets share that overlap is
// replaced as one. At the end of a stream (last) it goes through; before, it stops at
// what may go on in the next piece and returns it, with what of that was given out.
// As long as nothing is replaced, clean is a part of data and nothing is copied.
func (r *Redactor) scan(data []byte, at edge, last bool) (clean, rest []byte, next edge) {
	var out []byte
	for i := 0; i < len(data); i++ {
		if !r.starts[data[i]] {
			continue
		}
		n, more := 0, true
		if i+1 < len(data) {
			key := uint16(data[i])<<8 | uint16(data[i+1])
			if r.pairs[key/64]&(1<<(key%64)) == 0 {
				continue
			}
			n, more = r.match(data[i:], key)
		}
		if !last && more {
			if at.from <= i {
				return emit(out, data[at.from:i]), data[i:], edge{}
			}
			return out, data[i:], edge{at.from - i, at.masked}
		}
		if n == 0 || i+n <= at.from {
			continue
		}
		if out == nil {
			out = make([]byte, 0, len(data))
		}
		if out = append(out, data[at.from:max(at.from, i)]...); !at.masked || i >= at.from {
			out = append(out, hidden...)
		}
		at = edge{i + n, true}
	}
	return emit(out, data[at.from:]), nil, edge{}
}

func emit(out, piece []byte) []byte {
	if out == nil {
		return piece
	}
	return append(out, piece...)
}

// match is the length of the longest secret that data begins with, or 0. More
// tells that there could be one, or a longer one, if data went on.
func (r *Redactor) match(data []byte, key uint16) (n int, more bool) {
	for _, p := range r.patterns[key] {
		length, m := p.match(data)
		n, more = max(n, length), more || m
	}
	return n, more
}
