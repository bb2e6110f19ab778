package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Direct opens sessions with h in this process, over channels instead of a
// connection. A panic of the harness comes out of Recv as an error.
func Direct(h harness.Harness) Opener {
	return func(ctx context.Context) (harness.Host, error) {
		ctx, stop := context.WithCancel(ctx)
		p := &direct{
			down: make(chan harness.FromHarness), up: make(chan harness.ToHarness),
			gone: make(chan struct{}), returned: make(chan struct{}), stop: stop,
		}
		go p.run(ctx, h)
		return p, nil
	}
}

// direct is a harness.Host on one side and a harness.Conn on the other.
type direct struct {
	up       chan harness.ToHarness
	down     chan harness.FromHarness
	gone     chan struct{} // the host closed
	returned chan struct{} // the harness returned, with err
	err      error
	done     bool
	stop     context.CancelFunc
	once     sync.Once
}

func (p *direct) run(ctx context.Context, h harness.Harness) {
	defer close(p.returned)
	defer func() {
		if v := recover(); v != nil {
			p.err = fmt.Errorf("run harness: panic: %v\n%s", v, debug.Stack())
		}
	}()
	s, err := harness.Open(ctx, (*directConn)(p))
	if err == nil {
		err = h.Run(ctx, s)
	}
	p.err = err
}

func (p *direct) Send(ctx context.Context, m harness.ToHarness) error {
	select {
	case p.up <- m:
		return nil
	case <-p.returned:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *direct) Recv(ctx context.Context) (harness.FromHarness, error) {
	select {
	case m := <-p.down:
		_, p.done = m.(*harness.Done)
		return m, nil
	case <-p.returned:
		switch {
		case p.err != nil:
			return nil, p.err
		case !p.done:
			return nil, errors.New("run harness: it returned without Done")
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *direct) Close() error {
	p.once.Do(func() { close(p.gone) })
	p.stop()
	<-p.returned
	return nil
}

type directConn direct

func (c *directConn) Recv(ctx context.Context) (harness.ToHarness, error) {
	select {
	case m := <-c.up:
		return m, nil
	case <-c.gone:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *directConn) Send(ctx context.Context, m harness.FromHarness) error {
	select {
	case c.down <- m:
		return nil
	case <-c.gone:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}
