package recovery

import (
	"context"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// box is a sandbox that is resumed with each new process of its plugin.
type box struct {
	provider *Provider
	request  sandbox.ResumeRequest // without progress: nobody asked for those resumes
	id       string
	info     sandbox.Info

	mu sync.Mutex
	sb sandbox.Sandbox
	of *life
}

var (
	_ sandbox.Sandbox = (*box)(nil)
	_ sandbox.Execer  = (*box)(nil)
	_ sandbox.Filer   = (*box)(nil)
	_ sandbox.Porter  = (*box)(nil)
	_ sandbox.Keeper  = (*box)(nil)
)

func (p *Provider) box(l *life, sb sandbox.Sandbox, req sandbox.ResumeRequest) *box {
	req.Progress = nil
	return &box{provider: p, request: req, id: sb.ID(), info: sb.Info(), sb: sb, of: l}
}

// ID implements sandbox.Sandbox.
func (b *box) ID() string { return b.id }

// Info implements sandbox.Sandbox.
func (b *box) Info() sandbox.Info { return b.info }

// open is the sandbox of a life.
func (b *box) open(ctx context.Context, l *life) (sandbox.Sandbox, error) {
	b.mu.Lock()
	sb, of := b.sb, b.of
	b.mu.Unlock()
	if of == l {
		return sb, nil
	}
	sb, err := l.Resume(ctx, b.request)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sb, b.of = sb, l
	return sb, nil
}

// in makes a call in the sandbox.
func in[R any](ctx context.Context, b *box, again bool, call func(*life, sandbox.Sandbox) (R, error)) (R, error) {
	return inIf(ctx, b, func() bool { return again }, call)
}

func inIf[R any](ctx context.Context, b *box, again func() bool, call func(*life, sandbox.Sandbox) (R, error)) (R, error) {
	return tryIf(ctx, b.provider, again, func(l *life) (R, error) {
		sb, err := b.open(ctx, l)
		if err != nil {
			var none R
			return none, err
		}
		return call(l, sb)
	})
}

// inAs is in for a call of an optional interface.
func inAs[T, R any](ctx context.Context, b *box, again bool, call func(*life, T) (R, error)) (R, error) {
	return in(ctx, b, again, func(l *life, sb sandbox.Sandbox) (R, error) {
		t, err := sandbox.As[T](sb)
		if err != nil {
			var none R
			return none, err
		}
		return call(l, t)
	})
}

// Port implements sandbox.Porter.
func (b *box) Port(ctx context.Context, port int) (sandbox.Port, error) {
	return inAs(ctx, b, true, func(_ *life, sb sandbox.Porter) (sandbox.Port, error) { return sb.Port(ctx, port) })
}

// KeepAlive implements sandbox.Keeper.
func (b *box) KeepAlive(ctx context.Context, d time.Duration) error {
	_, err := inAs(ctx, b, true, func(_ *life, sb sandbox.Keeper) (struct{}, error) { return struct{}{}, sb.KeepAlive(ctx, d) })
	return err
}

// Kill implements sandbox.Sandbox.
func (b *box) Kill(ctx context.Context, proc string, grace time.Duration) error {
	_, err := in(ctx, b, true, func(_ *life, sb sandbox.Sandbox) (struct{}, error) {
		return struct{}{}, sb.Kill(ctx, proc, grace)
	})
	return err
}

// Alive implements sandbox.Sandbox.
func (b *box) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	return in(ctx, b, true, func(_ *life, sb sandbox.Sandbox) (sandbox.Liveness, error) { return sb.Alive(ctx, proc) })
}

// Exec implements sandbox.Execer.
func (b *box) Exec(ctx context.Context, cmd sandbox.Command) (sandbox.Output, error) {
	one := stray{b.id, cmd.ID}
	var by *life
	out, err := in(ctx, b, false, func(l *life, sb sandbox.Sandbox) (sandbox.Output, error) {
		by = l
		b.provider.strays.add(one, l)
		return sandbox.Exec(ctx, sb, cmd)
	})
	if by == nil {
		return out, err
	}
	if lost(by, err) {
		return out, b.provider.settle(ctx, one, err)
	}
	b.provider.strays.drop(one, by) // it has ended, or its own plugin has ended it
	return out, err
}
