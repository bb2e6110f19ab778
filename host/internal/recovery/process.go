package recovery

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Start implements sandbox.Sandbox. Where the plugin died before it answered,
// nobody knows whether the command began: it is ended, and not started again.
func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	p := &process{box: b, stray: stray{b.id, cmd.ID}, detached: cmd.Detached}
	inner, err := in(ctx, b, false, func(l *life, sb sandbox.Sandbox) (sandbox.Process, error) {
		p.of = l
		if !cmd.Detached {
			b.provider.strays.add(p.stray, l)
		}
		return sb.Start(ctx, cmd)
	})
	switch {
	case p.of == nil: // there was no call
		return nil, err
	case lost(p.of, err) && !cmd.Detached:
		return nil, b.provider.settle(ctx, p.stray, err)
	case err != nil:
		b.provider.strays.drop(p.stray, p.of)
		return nil, err
	}
	p.Process = inner
	return p, nil
}

// process is a command that is ended where its plugin died under it. A detached
// one goes on.
type process struct {
	sandbox.Process

	box      *box
	stray    stray
	of       *life
	detached bool
}

// Wait implements sandbox.Process.
func (p *process) Wait(ctx context.Context) (sandbox.Exit, error) {
	exit, err := p.Process.Wait(ctx)
	switch {
	case err == nil:
		p.box.provider.strays.drop(p.stray, p.of)
	case !p.detached && lost(p.of, err):
		err = p.box.provider.settle(ctx, p.stray, err)
	}
	return exit, err
}

// Close implements sandbox.Process.
func (p *process) Close() error {
	err := p.Process.Close()
	if p.detached {
		return err
	}
	if p.of.Err() == nil {
		if err == nil {
			p.box.provider.strays.drop(p.stray, p.of)
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
	defer cancel()
	l, err := p.box.provider.current(ctx)
	if err != nil {
		return err
	}
	return p.box.provider.strays.endOne(ctx, l, p.stray)
}
