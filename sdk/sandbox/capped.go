package sandbox

import (
	"bytes"
	"sync"
)

// capped keeps the first bytes of what is written to it and drops the rest,
// so that a command that prints for ever costs no memory. It is locked: a
// process that was let go may still write while its output is read.
type capped struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	left    int64
	dropped bool
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	if int64(n) > c.left {
		p, c.dropped = p[:c.left], true
	}
	c.left -= int64(len(p))
	c.buf.Write(p)
	return n, nil
}

func (c *capped) kept() ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.buf.Bytes()), c.dropped
}
