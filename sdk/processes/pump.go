package processes

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// source is where a pump reads: a pipe, or the file of a detached process.
type source interface {
	io.ReadCloser
	// SetReadDeadline in the past ends a Read that waits.
	SetReadDeadline(t time.Time) error
}

// A pump's buffer is small for a process that says little, and grows with what
// comes at once.
const (
	leastRead = 4 << 10
	mostRead  = 256 << 10
)

// pump moves one output of a process to its writer. A writer that blocks
// blocks the pump, then the pipe, then the process; memory is one buffer.
type pump struct {
	from    source
	to      io.Writer
	limit   *limit
	discard atomic.Bool // read on, but write no more
	done    chan struct{}
}

func (p *pump) run() {
	defer close(p.done)
	defer p.from.Close()
	buf := make([]byte, leastRead)
	for {
		n, err := p.from.Read(buf)
		p.write(buf[:n])
		if n == len(buf) && n < mostRead {
			buf = make([]byte, 4*n)
			widen(p.from, len(buf))
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.tail(buf)
			return
		}
		if err != nil {
			return
		}
	}
}

// finish makes run end with what is there now.
func (p *pump) finish() {
	_ = p.from.SetReadDeadline(time.Unix(1, 0)) // it has ended by itself if this fails
}

// tail reads what is left in a pipe. It is bounded by the size of the largest
// pipe: somebody left behind may still write.
func (p *pump) tail(buf []byte) {
	for rest := 1 << 20; rest > 0; {
		_ = p.from.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		n, err := p.from.Read(buf)
		p.write(buf[:n])
		if rest -= n; err != nil {
			return
		}
	}
}

func (p *pump) write(b []byte) {
	b = p.limit.take(b)
	if len(b) == 0 || p.discard.Load() {
		return
	}
	if _, err := p.to.Write(b); err != nil {
		p.discard.Store(true)
	}
}

// limit counts the bytes of both outputs together.
type limit struct {
	max  int64 // 0: none
	used atomic.Int64
	over func() // called once, when max is passed
}

// take returns what of b is within the limit.
func (l *limit) take(b []byte) []byte {
	if l.max <= 0 || len(b) == 0 {
		return b
	}
	n := int64(len(b))
	used := l.used.Add(n)
	if used <= l.max {
		return b
	}
	before := used - n
	if before <= l.max {
		l.over()
	}
	return b[:max(0, min(n, l.max-before))]
}
