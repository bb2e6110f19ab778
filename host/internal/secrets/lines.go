package secrets

import (
	"bytes"
)

// longLine is the length in bytes from which a line is no piece of something.
const longLine = 64 << 10

// Lines is a [Stream] for what a program prints as lines of JSON, one event each:
// agents say a text in pieces, each in a line of its own, so that the secret would
// be there for whoever joins them. Pieces are told by where they stand: texts with
// the same path in lines that are alike. What is no JSON is scrubbed as by a Stream.
//
// A piece isn't kept back: what may be the beginning of a secret at its end is
// replaced, from 4 bytes on. It isn't safe for concurrent use.
type Lines struct {
	redactor *Redactor
	whole    *Stream
	line     []byte // which hasn't ended
	long     bool   // and the beginning of which was given out
	pieces   remembered
	doubtful int    // streams of pieces that may have had the beginning of a secret
	leaves   []leaf // room for them
}

// Lines scrubs lines of JSON.
func (r *Redactor) Lines() *Lines { return &Lines{redactor: r, whole: r.Stream()} }

// Redact takes what comes next, and returns what can be said to be free of secrets.
// The result is valid until the next call.
func (l *Lines) Redact(data []byte) []byte {
	if l.redactor == nil {
		return data
	}
	var out []byte
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		l.line = append(l.line, data[:max(end, 0)]...)
		if end == 0 {
			l.line = append(l.line, data...)
			if len(l.line) > longLine {
				out = append(out, l.whole.Redact(l.line)...)
				l.line, l.long = l.line[:0], true
			}
			break
		}
		data = data[end:]
		out = append(out, l.whole.Redact(l.take())...)
		l.line, l.long = l.line[:0], false
	}
	return out
}

// Close returns what is left at the end.
func (l *Lines) Close() []byte {
	if l.redactor == nil {
		return nil
	}
	out := bytes.Clone(l.whole.Redact(l.take()))
	l.line = nil
	return append(out, l.whole.Close()...)
}

// take is the line with its texts scrubbed, as pieces of what stood in their places
// before.
func (l *Lines) take() []byte {
	if l.long || len(l.line) > longLine || len(l.line) == 0 || l.line[0] != '{' {
		return l.line
	}
	l.leaves = leaves(l.line, l.leaves[:0])
	var whole uint64 // of what is like in the lines of one message, such as its number
	for _, f := range l.leaves {
		whole += f.hash
	}
	var out []byte
	from := 0
	for _, f := range l.leaves {
		if !f.text {
			continue
		}
		text := f.value(l.line)
		if clean := l.piece(f.path, whole-f.hash, text); clean != nil {
			out = append(append(out, l.line[from:f.from]...), quoted(clean)...)
			from = f.to
		}
	}
	if from == 0 {
		return l.line
	}
	return append(out, l.line[from:]...)
}

// piece is a text scrubbed as the next piece of what stands in its place, and as that
// of what does in lines that are alike: several messages may be told at once. Nil
// says that it stays as it is.
func (l *Lines) piece(path, line uint64, text []byte) []byte {
	if l.doubtful == 0 { // most are no secret's beginning
		if clean, rest, _ := l.redactor.scan(text, edge{}, false); len(rest) == 0 && len(clean) == len(text) {
			return nil
		}
	}
	var changed []byte
	for _, of := range []uint64{path, path ^ (line | 1)} {
		s, turned := l.pieces.stream(of, l.redactor)
		if turned {
			l.doubtful = l.pieces.doubtful()
		}
		if len(s.held) > 0 {
			l.doubtful--
		}
		clean := bytes.Clone(s.Redact(text))
		clean = append(clean, s.Settle(fragment)...)
		if len(s.held) > 0 {
			l.doubtful++
		}
		if changed == nil && !bytes.Equal(clean, text) {
			changed = append([]byte{}, clean...)
		}
	}
	return changed
}

// remembered are the streams of the pieces seen last.
type remembered struct{ now, before map[uint64]*Stream }

// mostRemembered bounds them: lines may all be different.
const mostRemembered = 512

func (m *remembered) stream(of uint64, r *Redactor) (s *Stream, turned bool) {
	if s := m.now[of]; s != nil {
		return s, false
	}
	if s = m.before[of]; s == nil {
		s = r.Stream()
	}
	if m.now == nil || len(m.now) == mostRemembered {
		m.before, m.now, turned = m.now, map[uint64]*Stream{}, true
	}
	delete(m.before, of)
	m.now[of] = s
	return s, turned
}

// doubtful is how many of them may have had the beginning of a secret.
func (m *remembered) doubtful() int {
	n := 0
	for _, all := range []map[uint64]*Stream{m.now, m.before} {
		for _, s := range all {
			if len(s.held) > 0 {
				n++
			}
		}
	}
	return n
}
