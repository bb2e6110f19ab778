package process

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// maxLine is the longest line that is passed on whole.
const maxLine = 64 << 10

const cutMark = " [line truncated]"

// readLines gives each line to take until the end of r. A longer line is cut,
// scrubbed, since nobody finds half a secret later, and marked; its rest is read
// and dropped.
func readLines(r io.Reader, scrub func([]byte) []byte, take func(line []byte)) {
	br := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			take(append(bytes.Clone(scrub(line)), cutMark...))
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = br.ReadSlice('\n')
			}
		} else if len(line) > 0 {
			take(bytes.TrimRight(line, "\r\n"))
		}
		if err != nil {
			return
		}
	}
}

func (p *Process) readStderr(r io.Reader) {
	readLines(r, p.opts.Scrub, func(line []byte) {
		p.Tail.add(line)
		p.opts.Lines(line)
	})
}

// readStdout passes the first line on to go-plugin; what comes after it is not
// for the host, and is treated as stderr.
func (p *Process) readStdout(r io.Reader, handshake *io.PipeWriter) {
	first := true
	defer func() {
		if first { // go-plugin will kill what may be about to end by itself
			p.awaitEnd()
		}
		_ = handshake.Close()
	}()
	readLines(io.TeeReader(r, &p.First), p.opts.Scrub, func(line []byte) {
		if !first {
			p.Tail.add(line)
			p.opts.Lines(line)
			return
		}
		first = false
		p.First.complete()
		line = line[:min(len(line), maxFirst)]                  // go-plugin reads no longer one to its end
		_, _ = handshake.Write(append(bytes.Clone(line), '\n')) // fails only if go-plugin has given up
		_ = handshake.Close()
	})
}

// awaitEnd gives a process whose stdout has ended a moment to end.
func (p *Process) awaitEnd() {
	patience := time.NewTimer(endPatience)
	defer patience.Stop()
	select {
	case <-p.ended:
	case <-patience.C:
	}
}

const endPatience = 200 * time.Millisecond

// First keeps the first bytes that a process printed on stdout.
type First struct {
	mu   sync.Mutex
	buf  []byte
	done bool
}

const maxFirst = 4 << 10

// Write implements io.Writer.
func (f *First) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done {
		f.buf = append(f.buf, p[:min(len(p), maxFirst-len(f.buf))]...)
	}
	return len(p), nil
}

func (f *First) complete() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
}

// Bytes returns what there is so far.
func (f *First) Bytes() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.buf)
}
