package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const maxValueHead = 4 << 10 // bytes of an event before its diff

// Decode reads a file.changed event, whole or its value alone: what is before
// the diff at once, the diff's bytes as they are read.
func Decode(event io.Reader) (Value, io.Reader, error) {
	const member = `,"diff":"`
	in := bufio.NewReaderSize(event, 64<<10)
	head, err := in.Peek(maxValueHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return Value{}, nil, fmt.Errorf("read event: %w", err)
	}
	at, start := bytes.Index(head, []byte(member)), bytes.Index(head, []byte(`{"path":`))
	if start < 0 || at < start {
		return Value{}, nil, errors.New("the event isn't a diff")
	}
	var v Value
	if err := json.Unmarshal(append(bytes.Clone(head[start:at]), '}'), &v); err != nil {
		return Value{}, nil, fmt.Errorf("decode diff: %w", err)
	}
	_, _ = in.Discard(at + len(member)) // it is in the buffer
	return v, &diffReader{in: in, escaped: v.Escaped}, nil
}

// diffReader gives out the bytes that a JSON string stands for.
type diffReader struct {
	in      *bufio.Reader
	escaped bool
	buf     [utf8.UTFMax]byte
	ready   []byte // of buf, not given out yet
	err     error
}

func (d *diffReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.ready) > 0 {
			c := copy(p[n:], d.ready)
			n, d.ready = n+c, d.ready[c:]
			continue
		}
		if d.err == nil {
			d.err = d.next()
		}
		if d.err != nil {
			break
		}
		if len(d.ready) == 0 { // at an ordinary stretch
			plain, _ := d.in.Peek(d.in.Buffered())
			c := copy(p[n:], plain[:d.plain(plain)])
			n += c
			_, _ = d.in.Discard(c) // it is in the buffer
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

// next decodes one character into ready, unless it stands for itself.
func (d *diffReader) next() error {
	c, err := d.in.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case c == '"':
		return io.EOF
	case c == '\\':
		return d.escape()
	case c == '%' && d.escaped:
		v, err := d.hex(2)
		d.ready = append(d.buf[:0], byte(v))
		return err
	}
	return d.in.UnreadByte()
}

// plain is how much of text stands for itself.
func (d *diffReader) plain(text []byte) int {
	i := slices.IndexFunc(text, func(b byte) bool { return b == '"' || b == '\\' || b == '%' && d.escaped })
	if i < 0 {
		return len(text)
	}
	return i
}

func (d *diffReader) escape() error {
	c, err := d.in.ReadByte()
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		d.ready = append(d.buf[:0], "\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if c != 'u' {
		return fmt.Errorf("decode diff: \\%c in a string", c)
	}
	r, err := d.hex(4)
	if err == nil && utf16.IsSurrogate(r) {
		var low rune
		if _, err = io.ReadFull(d.in, d.buf[:2]); err == nil {
			low, err = d.hex(4)
		}
		r = utf16.DecodeRune(r, low)
	}
	d.ready = utf8.AppendRune(d.buf[:0], r)
	return err
}

func (d *diffReader) hex(digits int) (rune, error) {
	var text [4]byte
	if _, err := io.ReadFull(d.in, text[:digits]); err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	v, err := strconv.ParseUint(string(text[:digits]), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("decode diff: %w", err)
	}
	return rune(v), nil
}
