package journal

import (
	"bytes"
	"io"
)

// Sizes of what leaves a framer.
const (
	batchSize      = 256 << 10 // bytes of whole lines sent together
	DefaultLineCap = 64 << 20  // bytes of one line; a longer one is dropped and told of
)

// Batch is a stretch of the journal.
type Batch struct {
	Data    []byte // whole lines with their newlines; only the last one may lack it
	End     int64  // offset after Data
	TooLong int64  // > 0: a line of that many bytes was dropped here; Data is empty
}

// framer cuts a byte stream at newlines, and only there: never where a read
// happened to end, so a character split over two reads stays whole.
type framer struct {
	lineCap int
	buf     []byte // what was read and not given out
	scanned int    // bytes of buf known to hold no newline
	pos     int64  // offset of buf[0]
	dropped int64  // bytes of a line over the cap that were thrown away
}

// fill reads once from r.
func (f *framer) fill(r io.Reader) error {
	if cap(f.buf)-len(f.buf) < 32<<10 {
		grown := make([]byte, len(f.buf), max(2*cap(f.buf), 2*batchSize))
		copy(grown, f.buf)
		f.buf = grown
	}
	n, err := r.Read(f.buf[len(f.buf):cap(f.buf)])
	f.buf = f.buf[:len(f.buf)+n]
	return err
}

// next gives out the next batch, if one is complete. With end set, the stream
// is over and the rest counts as a line.
func (f *framer) next(end bool) (Batch, bool) {
	if f.dropped > 0 {
		return f.skip(end)
	}
	window := min(len(f.buf), batchSize, f.lineCap)
	cut := bytes.LastIndexByte(f.buf[:window], '\n') + 1
	if cut == 0 { // no newline in the window: one long line, alone
		from := max(f.scanned, window)
		if i := bytes.IndexByte(f.buf[from:], '\n'); i >= 0 {
			cut = from + i + 1
		}
	}
	switch {
	case cut == 0 && len(f.buf) > f.lineCap:
		f.dropped = int64(len(f.buf))
		f.take(len(f.buf))
		return f.skip(end)
	case cut == 0 && end:
		cut = len(f.buf)
	case cut == 0:
		f.scanned = len(f.buf)
		return Batch{}, false
	}
	if cut == 0 {
		return Batch{}, false
	}
	if cut > f.lineCap {
		f.take(cut)
		return Batch{End: f.pos, TooLong: int64(cut)}, true
	}
	data := bytes.Clone(f.buf[:cut])
	f.take(cut)
	return Batch{Data: data, End: f.pos}, true
}

// skip throws away the rest of a line over the cap.
func (f *framer) skip(end bool) (Batch, bool) {
	n := bytes.IndexByte(f.buf, '\n') + 1
	if n == 0 {
		f.dropped += int64(len(f.buf))
		f.take(len(f.buf))
		if !end {
			return Batch{}, false
		}
	} else {
		f.dropped += int64(n)
		f.take(n)
	}
	b := Batch{End: f.pos, TooLong: f.dropped}
	f.dropped = 0
	return b, true
}

// take removes n bytes from the front. A buffer that a long line has blown up
// is let go.
func (f *framer) take(n int) {
	f.pos += int64(n)
	rest := f.buf[n:]
	f.scanned = 0
	if cap(f.buf) > 4*batchSize && len(rest) < batchSize {
		f.buf = append(make([]byte, 0, 2*batchSize), rest...)
		return
	}
	f.buf = f.buf[:copy(f.buf, rest)]
}
