package filetail

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

// Tail reads a file that grows: at its end it waits. It may be used by one
// reader at a time; SetReadDeadline and Close may be called while that waits.
type Tail struct {
	file  *os.File
	watch *watch
	ctx   context.Context
	stop  context.CancelFunc

	unnamed bool          // it never had a name that could be removed
	ended   chan struct{} // closed: the end of the file is its end
	endOnce sync.Once
}

// New follows file from where it stands until ctx ends, it is closed, or the
// file is removed. It owns the file from here on.
func New(ctx context.Context, file *os.File) *Tail {
	ctx, stop := context.WithCancel(ctx)
	return &Tail{file: file, watch: newWatch(file), ctx: ctx, stop: stop, ended: make(chan struct{})}
}

// NewUnnamed is New for a file that has no name: that it has none isn't its end.
func NewUnnamed(ctx context.Context, file *os.File) *Tail {
	t := New(ctx, file)
	t.unnamed = true
	return t
}

// Read waits at the end of the file until it grows, is removed, ctx ends, or
// end was called.
func (t *Tail) Read(b []byte) (int, error) {
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

func (t *Tail) over() bool {
	select {
	case <-t.ended:
		return true
	default:
	}
	return !t.unnamed && removed(t.file)
}

// SetReadDeadline makes the end of the file the end, whatever the time.
func (t *Tail) SetReadDeadline(time.Time) error {
	t.endOnce.Do(func() { close(t.ended) })
	return nil
}

// Close ends a Read that waits.
func (t *Tail) Close() error {
	t.stop()
	t.watch.close()
	return t.file.Close()
}
