package runs

import (
	"context"
	"io"
	"sync"
)

// queue holds what another goroutine is to send on. The loop must never wait
// for an agent or a harness that doesn't read: it is the loop that they wait
// for. What is pushed in one turn of the harness is small.
type queue[T any] struct {
	mu     sync.Mutex
	items  []T
	closed bool
	wake   chan struct{} // has something in it when there may be news
}

func newQueue[T any]() *queue[T] { return &queue[T]{wake: make(chan struct{}, 1)} }

func (q *queue[T]) push(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue[T]) take() (items []T, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	return items, q.closed
}

// feed writes what is pushed until the queue is closed, ctx ends or the agent
// reads no more; then it closes w, which also ends a write that is blocked.
func feed(ctx context.Context, q *queue[[]byte], w io.WriteCloser) {
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
