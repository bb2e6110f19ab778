package agui

import (
	"bytes"
	"unicode/utf8"
)

// Nearly all events are pieces of text. Their JSON is written and read here
// several times as fast as encoding/json does it, in the usual form alone: what
// is unusual is left to encoding/json, so that both always say the same.

// appendFast appends the JSON of a piece of text. ok is false for other events,
// and for text that encoding/json would write in a way of its own.
func appendFast(out []byte, e Event) (_ []byte, ok bool) {
	switch e := e.(type) {
	case TextMessageContent:
		return appendPiece(out, headText, e.MessageID, e.Delta)
	case ReasoningMessageContent:
		return appendPiece(out, headReasoning, e.MessageID, e.Delta)
	case ToolCallArgs:
		return appendPiece(out, headArgs, e.ToolCallID, e.Delta)
	}
	return out, false
}

// What stands before the id of a piece, and between that and its text.
const (
	headText      = `{"type":"` + TypeTextMessageContent + `","messageId":"`
	headReasoning = `{"type":"` + TypeReasoningMessageContent + `","messageId":"`
	headArgs      = `{"type":"` + TypeToolCallArgs + `","toolCallId":"`
	headDelta     = `","delta":"`
	tailPiece     = `"}`
)

func appendPiece(out []byte, head, id, delta string) (_ []byte, ok bool) {
	out = append(out, head...)
	if out, ok = appendQuoted(out, id); !ok {
		return out, false
	}
	out = append(out, headDelta...)
	if out, ok = appendQuoted(out, delta); !ok {
		return out, false
	}
	return append(out, tailPiece...), true
}

// appendQuoted appends the inside of a JSON string.
func appendQuoted(out []byte, text string) (_ []byte, ok bool) {
	from, ascii := 0, true
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			ascii = false
			continue
		case c >= ' ' && c != '"' && c != '\\' && c != 0x7f:
			continue
		}
		letter := short(c)
		if letter == 0 {
			return out, false
		}
		out = append(append(out, text[from:i]...), '\\', letter)
		from = i + 1
	}
	// encoding/json replaces what is no UTF-8, and escapes two ends of lines.
	if !ascii && (!utf8.ValidString(text) || hasLineEnds(text)) {
		return out, false
	}
	return append(out, text[from:]...), true
}

// short is the letter of the short escape of a character; 0: none.
func short(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// hasLineEnds looks for U+2028 and U+2029.
func hasLineEnds[T string | []byte](text T) bool {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == 0xe2 && text[i+1] == 0x80 && text[i+2]&^1 == 0xa8 {
			return true
		}
	}
	return false
}

// readFast reads a piece of text in the form of appendFast.
func readFast(data []byte) (Event, bool) {
	if rest, ok := bytes.CutPrefix(data, []byte(headText)); ok {
		id, delta, ok := readPiece(rest)
		return TextMessageContent{id, delta}, ok
	}
	if rest, ok := bytes.CutPrefix(data, []byte(headReasoning)); ok {
		id, delta, ok := readPiece(rest)
		return ReasoningMessageContent{id, delta}, ok
	}
	if rest, ok := bytes.CutPrefix(data, []byte(headArgs)); ok {
		id, delta, ok := readPiece(rest)
		return ToolCallArgs{id, delta}, ok
	}
	return nil, false
}

func readPiece(data []byte) (id, delta string, ok bool) {
	end := bytes.IndexByte(data, '"')
	if end < 0 || !utf8.Valid(data) {
		return "", "", false
	}
	id = string(data[:end])
	rest, ok := bytes.CutPrefix(data[end:], []byte(headDelta))
	if !ok {
		return "", "", false
	}
	text, ok := bytes.CutSuffix(rest, []byte(tailPiece))
	if !ok {
		return "", "", false
	}
	if delta, ok = unquote(text); !ok {
		return "", "", false
	}
	plain, ok := unquote(data[:end])
	return id, delta, ok && plain == id
}

// unquote reads the inside of a JSON string.
func unquote(text []byte) (string, bool) {
	var out []byte
	from := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' || c == '"':
			return "", false
		case c != '\\':
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		c := long(text[i])
		if c == 0 {
			return "", false
		}
		if out == nil {
			out = make([]byte, 0, len(text))
		}
		out = append(append(out, text[from:i-1]...), c)
		from = i + 1
	}
	if out == nil {
		return string(text), true
	}
	return string(append(out, text[from:]...)), true
}

// long is the character of a short escape; 0: none that is known here.
func long(letter byte) byte {
	switch letter {
	case '"', '\\', '/':
		return letter
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}
