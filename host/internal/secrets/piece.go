package secrets

import "unicode/utf8"

// fragment is the length in bytes of a secret's end or beginning that counts as a
// part of it at the edge of a piece; a shorter one is there by chance too often.
const fragment = 4

// Piece is [Redactor.Redact] for what was cut out of output, such as its last
// bytes or a line that was too long: a secret may lack its beginning or its end
// there, and what is left of it goes too, from 4 bytes on.
func (r *Redactor) Piece(data []byte) []byte {
	if r == nil {
		return data
	}
	n := r.remainder(data)
	out, rest, at := r.scan(data, edge{n, n > 0}, false)
	switch rest = rest[at.from:]; {
	case len(rest) >= fragment && at.from > 0: // what is before it was replaced, and stands for it
		rest = nil
	case len(rest) >= fragment:
		rest = []byte(hidden)
	case n == 0 && len(out)+len(rest) == len(data):
		return data
	}
	piece := make([]byte, 0, len(data)+2*len(hidden))
	if n > 0 {
		piece = append(piece, hidden...)
	}
	return append(append(piece, out...), rest...)
}

// remainder is the length of what data begins with and what is the end, or a part
// of the middle, of a secret. The cut may lie inside of a character, or of what
// stands for one, such as %2F.
func (r *Redactor) remainder(data []byte) int {
	for skip, enough := 0, fragment; skip+1 < len(data) && skip <= maxQuoted; skip++ {
		if n, more := r.match(data[skip:], uint16(data[skip])<<8|uint16(data[skip+1])); n > 0 || more {
			return 0 // from here on scan finds it
		}
		if skip > 0 && utf8.RuneStart(data[skip-1]) {
			enough = shortest
		}
		if n := r.longestPart(data[skip:]); n >= enough {
			return skip + n
		}
	}
	return 0
}

// longestPart is the length of the longest part of a secret, without its first
// character, that data begins with: to the secret's end, or to that of data.
func (r *Redactor) longestPart(data []byte) int {
	most := 0
	for _, p := range r.all {
		for i := 1; i < len(p); i++ {
			n, more := p[i:].match(data)
			if n == 0 && more {
				n = len(data)
			}
			most = max(most, n)
		}
	}
	return most
}
