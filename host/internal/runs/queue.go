package runs

import (
	"context"
	"io"
	"sync"
)

// queue holds what is to be written to the agent's stdin. The loop must never
// wait for an agent that doesn't read; what a harness writes in one turn is
// small.
type queue struct {
	mu     sync.Mutex
	items  [][]byte
	closed bool
	wake   chan struct{}
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) push(data []byte) {
	q.mu.Lock()
	q.items = append(q.items, data)
	q.mu.Unlock()
	q.signal()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() (items [][]byte, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	return items, q.closed
}

// copy writes what is pushed until the queue is closed, ctx ends or the agent
// reads no more; then it closes w. A blocked write ends with ctx, since closing
// the other end of w is the caller's.
func (q *queue) copy(ctx context.Context, w io.WriteCloser) {
	defer w.Close()
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	defer stop()
	for {
		items, closed := q.take()
		for _, data := range items {
			if _, err := w.Write(data); err != nil {
				return
			}
		}
		if closed && len(items) == 0 {
			return
		}
		if len(items) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
	}
}
