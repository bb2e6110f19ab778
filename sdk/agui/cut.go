package agui

import (
	"bytes"
	"unicode/utf8"
)

// Cut takes the JSON of a piece of text apart without decoding the event: head is
// what stands before the inside of the text, after which comes `"}`, and text is
// that inside decoded. Pieces of one message have the same head. ok is false for
// other events, and for JSON that isn't byte for byte what [Marshal] writes.
// Both are parts of data where they can be.
func Cut(data []byte) (head, text []byte, ok bool) {
	for _, kind := range [...]string{headText, headReasoning, headArgs} {
		if len(data) < len(kind) || string(data[:len(kind)]) != kind {
			continue
		}
		id := data[len(kind):]
		end := bytes.IndexByte(id, '"')
		if end < 0 {
			break
		}
		rest, more := bytes.CutPrefix(id[end:], []byte(headDelta))
		inside, whole := bytes.CutSuffix(rest, []byte(tailPiece))
		id = id[:end]
		plain, fine := usual(id)
		if !more || !whole || !fine || len(plain) != len(id) {
			break
		}
		if text, ok = usual(inside); ok {
			return data[:len(data)-len(rest)], text, true
		}
		break
	}
	return nil, nil, false
}

// usual decodes the inside of a JSON string as appendQuoted writes it.
func usual(inside []byte) (text []byte, ok bool) {
	from, ascii := 0, true
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
			continue
		case c < ' ' || c == '"' || c == 0x7f:
			return nil, false
		case c != '\\':
			continue
		}
		i++
		if i == len(inside) || inside[i] == '/' {
			return nil, false
		}
		c := long(inside[i])
		if c == 0 {
			return nil, false
		}
		if text == nil {
			text = make([]byte, 0, len(inside))
		}
		text = append(append(text, inside[from:i-1]...), c)
		from = i + 1
	}
	if !ascii && (!utf8.Valid(inside) || hasLineEnds(inside)) {
		return nil, false
	}
	if text == nil {
		return inside, true
	}
	return append(text, inside[from:]...), true
}
