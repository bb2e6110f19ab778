package server

import (
	"context"
	"sync"
	"time"
)

// launches are the processes that are being started. Kill looks here, so that a
// process whose start was asked for before the kill can't come up after it.
type launches struct {
	mu   sync.Mutex
	open map[launchKey]map[chan struct{}]bool
}

type launchKey struct{ sandbox, process string }

// begin notes a start; end says that the provider knows the process by now, or
// that there is none.
func (l *launches) begin(key launchKey) (end func()) {
	over := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[launchKey]map[chan struct{}]bool{}
	}
	if l.open[key] == nil {
		l.open[key] = map[chan struct{}]bool{}
	}
	l.open[key][over] = true
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		close(over)
		delete(l.open[key], over)
		if len(l.open[key]) == 0 {
			delete(l.open, key)
		}
	})
}

// pending returns one start that isn't over; nil if there is none.
func (l *launches) pending(key launchKey) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for over := range l.open[key] {
		return over
	}
	return nil
}

// again is how long Kill waits for a start before it kills once more.
const again = 50 * time.Millisecond

// killAll kills until no start under that id is under way.
func (l *launches) killAll(ctx context.Context, key launchKey, kill func() error) error {
	for {
		over := l.pending(key)
		if err := kill(); err != nil || over == nil {
			return err
		}
		wait := time.NewTimer(again)
		select {
		case <-over:
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		}
		wait.Stop()
	}
}
