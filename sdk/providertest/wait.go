package providertest

import (
	"context"
	"time"
)

// eventually waits for a cause, at most Options.Patience.
func (b *bed) eventually(what string, cause func() bool) {
	b.Helper()
	if !b.within(b.suite.opts.Patience, cause) {
		b.Fatalf("%s: not within %v", what, b.suite.opts.Patience)
	}
}

// within polls for a cause.
func (b *bed) within(limit time.Duration, cause func() bool) bool {
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cause() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// soon runs f and fails if that takes longer than Options.Patience. It doesn't
// wait for an f that hangs.
func (b *bed) soon(what string, f func()) time.Duration {
	b.Helper()
	begin := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(b.suite.opts.Patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		b.Fatalf("%s: still not done after %v", what, b.suite.opts.Patience)
	}
	return time.Since(begin)
}

// patient is a context that ends after Options.Patience.
func (b *bed) patient() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, b.suite.opts.Patience)
}

// pause lets time pass where nothing is to happen in it.
func (b *bed) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.ctx.Done():
	}
}
