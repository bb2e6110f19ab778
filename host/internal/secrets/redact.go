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
	out, _ := r.scan(data, true)
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

// Stream scrubs output that arrives in pieces, wherever they are cut. It isn't
// safe for concurrent use.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// Stream is the scrubbing of one stream of output.
type Stream struct {
	redactor *Redactor
	held     []byte // what may be the beginning of a secret
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
	out, rest := s.redactor.scan(data, false)
	s.held = bytes.Clone(rest)
	return out
}

// Held reports whether the last piece ended with what may be the beginning of a
// secret; Redact or Close gives it out later.
func (s *Stream) Held() bool { return len(s.held) > 0 }

// Close returns what is left at the end of the stream.
func (s *Stream) Close() []byte {
	if s.redactor == nil {
		return nil
	}
	out, _ := s.redactor.scan(s.held, true)
	s.held = nil
	return out
}

// scan copies data to out without secrets. At the end of a stream (last) it goes
// through; before, it stops at what may go on in the next piece and returns it.
// As long as nothing is replaced, out is a part of data and nothing is copied.
func (r *Redactor) scan(data []byte, last bool) (clean, rest []byte) {
	var out []byte
	from := 0
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
			return emit(out, data[from:i]), data[i:]
		}
		if n > 0 {
			if out == nil {
				out = make([]byte, 0, len(data))
			}
			out = append(append(out, data[from:i]...), hidden...)
			i += n - 1
			from = i + 1
		}
	}
	return emit(out, data[from:]), nil
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
