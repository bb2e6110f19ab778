package secrets

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// drain reads a pipe as long as somebody writes to it, so that nobody waits for
// us, and keeps a part.
type drain struct {
	in   *os.File // for who writes
	out  *os.File
	done chan struct{}

	mu   sync.Mutex
	kept []byte
}

// drainTo keeps the first bytes, or the last.
func drainTo(most int, last bool) (*drain, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a secret's command: %w", err)
	}
	d := &drain{in: in, out: out, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		_, _ = io.Copy(keeping{d, most, last}, out) // it ends when nobody writes any more, or by close
	}()
	return d, nil
}

type keeping struct {
	*drain

	most int
	last bool
}

func (k keeping) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = append(k.kept, p...)
	if over := len(k.kept) - k.most; over > 0 && k.last {
		k.kept = append(k.kept[:0], k.kept[over:]...)
	} else if over > 0 {
		k.kept = k.kept[:k.most]
	}
	return len(p), nil
}

// wait returns what came to the end of the pipe, or within a time.
func (d *drain) wait(limit time.Duration) []byte {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-d.done:
	case <-timer.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.kept)
}

func (d *drain) close() { _, _ = d.in.Close(), d.out.Close() }
