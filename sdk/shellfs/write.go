package shellfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Write sends the content to a temporary file beside the place it goes to.
func (f files) Write(ctx context.Context, p string, r io.Reader, opts sandbox.WriteOptions) error {
	what := "write file " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return prefix(what, err)
	}
	mode, temp := "keep", tempName()
	if opts.Mode != 0 {
		mode = octal(opts.Mode)
	}
	content := &pieces{from: r}
	_, err = f.run(ctx, call{what: what, script: writeScript, stdin: content, args: []string{e.folder, e.name, mode, temp}})
	if err == nil {
		return nil
	}
	f.clean(ctx, e.folder, temp)
	if broken := content.broken(); broken != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", what, broken)
	}
	return err
}

func octal(mode fs.FileMode) string { return strconv.FormatUint(uint64(mode.Perm()), 8) }

// maxPiece is how much goes over in one piece, which is one dd.
const maxPiece = 1 << 20

// pieces puts the length before each piece of what from holds, and "end" at its
// end: a content that is cut off on its way is never taken for a whole one. Where
// from fails, it says that the content is given up.
type pieces struct {
	from io.Reader
	buf  []byte // of a piece
	rest []byte // of what is to be read
	over bool   // end or failure is in rest

	mu  sync.Mutex
	err error // of from
}

func (c *pieces) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.over {
			return 0, io.EOF
		}
		c.next()
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// next fills rest: with a piece, with the end, or with both.
func (c *pieces) next() {
	const room = 20 // for the length
	if c.buf == nil {
		c.buf = make([]byte, room+64<<10)
	} else if len(c.buf) < maxPiece { // the first was full
		c.buf = make([]byte, room+maxPiece)
	}
	n, err := io.ReadFull(c.from, c.buf[room:])
	start := room
	if n > 0 {
		length := strconv.Itoa(n) + "\n"
		start -= len(length)
		copy(c.buf[start:], length)
	}
	c.rest = c.buf[start : room+n]
	switch {
	case err == nil:
	case errors.Is(err, io.EOF), err == io.ErrUnexpectedEOF:
		c.rest, c.over = append(c.rest, "end\n"...), true
	default:
		c.rest, c.over = []byte("broken\n"), true
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = err
	}
}

// broken is how the source failed. The call may be over while it is still read.
func (c *pieces) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
