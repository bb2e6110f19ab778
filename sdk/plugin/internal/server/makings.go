package server

import (
	"context"
	"sync"
)

// makings are the calls under way that make sandboxes and snapshots. One whose
// caller gave up goes on in the provider until what it made is unmade; a list must
// not answer before that, or the caller would take for absent what is about to
// appear.
type makings struct {
	mu    sync.Mutex
	calls map[chan struct{}]context.Context
}

// begin notes a call; the caller ends it.
func (c *makings) begin(ctx context.Context) (end func()) {
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
func (c *makings) settle(ctx context.Context) error {
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
