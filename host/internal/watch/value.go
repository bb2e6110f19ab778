package watch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Value is the value of a file.changed event but for its diff. In the event it
// is `{"path":".","files":2,"added":3,"removed":1,"diff":"..."}`. A patch that
// isn't UTF-8 is percent-escaped, with `"escaped":true` before it. The diff is
// the last member, so that it can be written and read as a stream.
type Value struct {
	Path    string `json:"path"` // always "."
	Files   int    `json:"files"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Escaped bool   `json:"escaped,omitempty"`
}

// Encode writes a value with its diff, whatever its size. Escaped says whether
// diff isn't UTF-8.
func (v Value) Encode(w io.Writer, diff io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, `{"path":".","files":%d,"added":%d,"removed":%d,`, v.Files, v.Added, v.Removed)
	if v.Escaped {
		_, _ = out.WriteString(`"escaped":true,`) // a bufio.Writer keeps its error for Flush
	}
	_, _ = out.WriteString(`"diff":"`)
	in := bufio.NewReaderSize(diff, 64<<10)
	for {
		r, size, err := in.ReadRune()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read diff: %w", err)
		}
		if v.Escaped && (r == '%' || r == utf8.RuneError && size == 1) {
			_ = in.UnreadRune()
			b, _ := in.ReadByte() // it was there
			fmt.Fprintf(out, "%%%02X", b)
			continue
		}
		writeRune(out, r)
		plain, _ := in.Peek(in.Buffered())
		n, _ := out.Write(plain[:v.plain(plain)])
		_, _ = in.Discard(n) // it is in the buffer
	}
	_, _ = out.WriteString(`"}`)
	return out.Flush()
}

// plain is how much of text goes into a string as it is.
func (v Value) plain(text []byte) int {
	i := slices.IndexFunc(text, func(b byte) bool {
		return b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf || b == '%' && v.Escaped
	})
	if i < 0 {
		return len(text)
	}
	return i
}

func writeRune(out *bufio.Writer, r rune) {
	switch {
	case r == '"' || r == '\\':
		_ = out.WriteByte('\\')
		_, _ = out.WriteRune(r)
	case r == '\n':
		_, _ = out.WriteString(`\n`)
	case r == '\t':
		_, _ = out.WriteString(`\t`)
	case r < ' ':
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		_, _ = out.WriteRune(r)
	}
}

// UTF8 is a writer that tells whether all that was written to it is UTF-8.
type UTF8 struct {
	rest  []byte // the beginning of a character
	wrong bool
}

// Write implements io.Writer; it never fails.
func (u *UTF8) Write(b []byte) (int, error) {
	n := len(b)
	if len(u.rest) > 0 {
		b = append(u.rest, b...)
		u.rest = nil
	}
	whole := len(b)
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if last := b[len(b)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= back
				u.rest = append([]byte(nil), last...)
			}
			break
		}
	}
	u.wrong = u.wrong || !utf8.Valid(b[:whole])
	return n, nil
}

// Valid reports whether it is.
func (u *UTF8) Valid() bool { return !u.wrong && len(u.rest) == 0 }

// Text is a patch as a JSON string can hold it, percent-escaped if it isn't
// UTF-8.
func Text(patch []byte) (text string, escaped bool) {
	if utf8.Valid(patch) {
		return string(patch), false
	}
	var out strings.Builder
	for len(patch) > 0 {
		r, size := utf8.DecodeRune(patch)
		if r == '%' || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, "%%%02X", patch[0])
		} else {
			out.Write(patch[:size])
		}
		patch = patch[size:]
	}
	return out.String(), true
}
