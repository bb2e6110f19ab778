package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// Redactor replaces secrets by `***`. It is safe for concurrent use. A nil
// Redactor and one without secrets return what they are given, at no cost.
type Redactor struct {
	// Forms by their first two bytes, longest first; pairs says quickly that there
	// are none.
	forms   map[uint16][]string
	pairs   [1 << 16 / 64]uint64
	starts  [256]bool
	longest int
}

// newRedactor returns nil if there is nothing to look for.
func newRedactor(values []string) *Redactor {
	if len(values) == 0 {
		return nil
	}
	r := &Redactor{forms: map[uint16][]string{}}
	for _, value := range values {
		for _, form := range formsOf(value) {
			key := uint16(form[0])<<8 | uint16(form[1]) // every form has at least 8 bytes
			if slices.Contains(r.forms[key], form) {
				continue
			}
			r.forms[key] = append(r.forms[key], form)
			r.pairs[key/64] |= 1 << (key % 64)
			r.starts[form[0]] = true
			r.longest = max(r.longest, len(form))
		}
	}
	for _, list := range r.forms {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return r
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
		near := len(data)-i < r.longest
		if i+1 < len(data) {
			if key := uint16(data[i])<<8 | uint16(data[i+1]); r.pairs[key/64]&(1<<(key%64)) == 0 {
				continue
			}
		}
		if !last && near && r.unfinished(data[i:]) {
			return emit(out, data[from:i]), data[i:]
		}
		if n := r.matchAt(data[i:]); n > 0 {
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

// matchAt is the length of the longest form that data begins with, or 0.
func (r *Redactor) matchAt(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	for _, form := range r.forms[uint16(data[0])<<8|uint16(data[1])] {
		if len(data) >= len(form) && string(data[:len(form)]) == form {
			return len(form)
		}
	}
	return 0
}

// unfinished reports whether data is the beginning of a longer form.
func (r *Redactor) unfinished(data []byte) bool {
	begins := func(forms []string) bool {
		return slices.ContainsFunc(forms, func(f string) bool { return len(f) > len(data) && strings.HasPrefix(f, string(data)) })
	}
	if len(data) >= 2 {
		return begins(r.forms[uint16(data[0])<<8|uint16(data[1])])
	}
	for key, forms := range r.forms {
		if byte(key>>8) == data[0] && begins(forms) {
			return true
		}
	}
	return false
}
