package main

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

// tail reads a file that grows: at its end it waits.
type tail struct {
	file  *os.File
	watch *watch
	ctx   context.Context
	stop  context.CancelFunc

	unnamed bool          // it never had a name that could be removed
	ended   chan struct{} // closed: the end of the file is the end
	endOnce sync.Once
}

func newTail(ctx context.Context, file *os.File) *tail {
	ctx, stop := context.WithCancel(ctx)
	return &tail{file: file, watch: newWatch(file), ctx: ctx, stop: stop, ended: make(chan struct{})}
}

// Read waits at the end of the file until it grows, is removed, ctx ends, or
// end was called.
func (t *tail) Read(b []byte) (int, error) {
	for {
		// Asked for before the read: what happens after it is caught by the wait.
		over := t.over()
		n, err := t.file.Read(b)
		if n > 0 || err != nil && err != io.EOF {
			return n, err
		}
		if over {
			return 0, io.EOF
		}
		if err := t.watch.wait(t.ctx, t.ended); err != nil {
			return 0, err
		}
	}
}

func (t *tail) over() bool {
	select {
	case <-t.ended:
		return true
	default:
	}
	return !t.unnamed && removed(t.file)
}

// SetReadDeadline makes the end of the file the end, whatever the time.
func (t *tail) SetReadDeadline(time.Time) error {
	t.endOnce.Do(func() { close(t.ended) })
	return nil
}

// Close ends a Read that waits.
func (t *tail) Close() error {
	t.stop()
	t.watch.close()
	return t.file.Close()
}
