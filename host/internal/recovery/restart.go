package recovery

import (
	"context"
	"errors"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// current is the running plugin: the last one, or a new one if that has died.
func (p *Provider) current(ctx context.Context) (*life, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, sandbox.Errorf(sandbox.ClassOf(ctx.Err()), "wait for the plugin's start: %w", ctx.Err())
	}
	p.mu.Lock()
	l, closed := p.life, p.closed
	p.mu.Unlock()
	switch {
	case closed:
		return nil, sandbox.Errorf(sandbox.Canceled, "call provider: it was closed")
	case l == nil:
		return p.start(ctx, nil)
	case l.Err() == nil:
		return l, nil
	}
	if time.Since(l.began) > calm {
		p.set(l, 0)
	}
	return p.start(ctx, l.Err())
}

// start starts the plugin until it runs and what its predecessor left is ended.
// why is that one's end; nil for the very first start.
func (p *Provider) start(ctx context.Context, why error) (*life, error) {
	for {
		if why != nil {
			if err := p.pause(ctx, why); err != nil {
				return nil, err
			}
		}
		run, err := p.opts.Launch(ctx)
		if err != nil {
			if ctx.Err() != nil || !p.mortal(err, why) {
				return nil, err
			}
			why = err
			continue
		}
		l := &life{Running: run, began: time.Now()}
		if old := p.last(); old != nil {
			_ = old.Close() // it is dead: this only tidies up
		}
		p.set(l, -1)
		p.strays.end(ctx, l) // those that can't be ended now are told of by whoever asks
		if why = l.Err(); why == nil {
			return l, nil
		}
	}
}

// pause waits before the next start. The error says that there won't be one.
func (p *Provider) pause(ctx context.Context, why error) error {
	p.mu.Lock()
	spent := p.spent
	p.mu.Unlock()
	if spent == len(Pauses()) {
		return sandbox.Errorf(sandbox.Unavailable, "%w; it was started anew %d times and is given up", why, spent)
	}
	if p.opts.Restarts != nil {
		p.opts.Restarts(why)
	}
	timer := time.NewTimer(Pauses()[spent])
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return sandbox.Errorf(sandbox.Unavailable, "%w", why) // says more than that time is up
	}
	p.mu.Lock()
	p.spent = spent + 1
	p.mu.Unlock()
	return nil
}

// mortal reports whether a start that failed may go better the next time: it was
// killed, or the plugin has worked before. One that never did is told of at once.
func (p *Provider) mortal(err, why error) bool {
	if p.opts.Killed != nil && p.opts.Killed(err) {
		return true
	}
	return why != nil && (errors.Is(err, sandbox.Unavailable) || errors.Is(err, sandbox.TimedOut))
}

// set changes the plugin's process and, where it isn't negative, what was spent.
func (p *Provider) set(l *life, spent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life = l
	if spent >= 0 {
		p.spent = spent
	}
}
