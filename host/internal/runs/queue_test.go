package runs

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
)

type closer struct {
	bytes.Buffer
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

func TestTheQueueWritesInOrderAndThenCloses(t *testing.T) {
	q, w := newQueue[[]byte](), &closer{}
	for _, s := range []string{"a", "b", "c"} {
		q.push([]byte(s))
	}
	q.close()
	feed(t.Context(), q, w)
	if w.String() != "abc" || !w.closed {
		t.Errorf("wrote %q, closed: %v", w.String(), w.closed)
	}
}

func TestAnAgentThatReadsNothingHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		defer r.Close()
		q := newQueue[[]byte]()
		done := make(chan struct{})
		go func() {
			defer close(done)
			feed(ctx, q, w)
		}()
		for range 1000 {
			q.push(make([]byte, 1<<10))
		}
		synctest.Wait() // feed is blocked in its first write
		cancel()
		<-done
	})
}
