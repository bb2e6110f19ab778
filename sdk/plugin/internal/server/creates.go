package server

import (
	"context"
	"sync"
)

// creates are the Create calls under way. One whose caller gave up goes on in
// the provider until what it made is unmade; a List must not answer before
// that, or the caller would take a sandbox for absent that is about to appear.
type creates struct {
	mu    sync.Mutex
	calls map[chan struct{}]context.Context
}

// begin notes a call; the caller ends it.
func (c *creates) begin(ctx context.Context) (end func()) {
	done := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[chan struct{}]context.Context{}
	}
	c.calls[done] = ctx
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, done)
		close(done)
	}
}

// settle waits for the calls whose callers gave up.
func (c *creates) settle(ctx context.Context) error {
	c.mu.Lock()
	var left []chan struct{}
	for done, call := range c.calls {
		if call.Err() != nil {
			left = append(left, done)
		}
	}
	c.mu.Unlock()
	for _, done := range left {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
