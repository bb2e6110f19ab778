package recovery

import (
	"context"
	"errors"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// try makes a call, and once more if the plugin died under it and the call may be
// made twice.
func try[R any](ctx context.Context, p *Provider, again bool, call func(*life) (R, error)) (R, error) {
	return tryIf(ctx, p, func() bool { return again }, call)
}

// tryIf is try for a call of which only its first attempt tells whether there may
// be a second.
func tryIf[R any](ctx context.Context, p *Provider, again func() bool, call func(*life) (R, error)) (R, error) {
	var none R
	l, err := p.current(ctx)
	if err != nil {
		return none, err
	}
	r, err := call(l)
	if !lost(l, err) || !again() {
		return r, err
	}
	if l, err = p.current(ctx); err != nil {
		return none, err
	}
	return call(l)
}

// lost reports whether an error came of a plugin's death. One of class Unavailable
// alone may be the backend's.
func lost(l *life, err error) bool {
	return err != nil && errors.Is(err, sandbox.Unavailable) && l.Err() != nil
}

// Whole does work that can't go on where the plugin died under it, but can be
// begun anew: a sandbox with its setup. It is done again, three times at most,
// where it failed because the plugin died.
func (p *Provider) Whole(ctx context.Context, work func(ctx context.Context) error) error {
	for range Pauses() {
		l, err := p.current(ctx)
		if err != nil {
			return err
		}
		err = work(ctx)
		if ctx.Err() != nil || !lost(l, err) {
			return err
		}
	}
	return work(ctx)
}
