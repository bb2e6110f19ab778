package harnesstest

import "sync"

// acks knows how far the harness has read, and how many of its requests wait for
// an answer, so that a session can go in lockstep.
type acks struct {
	mu      sync.Mutex
	end     int64
	waiting int
	changed chan struct{} // closed, and made anew, at each change
}

func (a *acks) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *acks) reach(end int64) { a.change(func() { a.end = max(a.end, end) }) }
func (a *acks) asked()          { a.change(func() { a.waiting++ }) }
func (a *acks) answered()       { a.change(func() { a.waiting-- }) }

// settled tells whether everything up to end was read and answered; if not, the
// channel says when to ask again.
func (a *acks) settled(end int64) (bool, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end >= end && a.waiting == 0, a.changed
}

// lockstep waits until the harness has read everything up to end and has the
// answers to what it asked.
func (p *player) lockstep(end int64) error {
	for {
		ok, changed := p.acks.settled(end)
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-p.over:
			return nil // what was received says why
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
}
