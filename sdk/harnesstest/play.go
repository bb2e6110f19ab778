package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// hooks are what a player does with what comes from the harness.
type hooks struct {
	decide func(*harness.Ask) *harness.Decision   // nil result: no answer
	each   func(p *player, m harness.FromHarness) // called in order; nil: nobody looks
}

// play runs one session: start, the messages that feed gives, then all answers
// until the harness is done.
func play(ctx context.Context, open Opener, start harness.Start, h hooks, feed func(*player) error) (*Record, error) {
	host, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	defer func() { _ = host.Close() }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &player{ctx: ctx, host: host, hooks: h, launched: make(chan struct{}), over: make(chan struct{})}
	p.acks.changed = make(chan struct{})

	fed := make(chan error, 1)
	go func() {
		err := p.send(&start)
		if err == nil {
			err = feed(p)
		}
		if errors.Is(err, io.EOF) {
			err = nil // the harness is done; what it sent says how
		}
		if err != nil {
			stop() // nothing more would come
		}
		fed <- err
	}()
	recvErr := p.receive()
	stop()
	if err := <-fed; err != nil && !errors.Is(err, context.Canceled) {
		return p.record, errors.Join(err, recvErr)
	}
	return p.record, recvErr
}

// player is the host's side of a session under test.
type player struct {
	ctx    context.Context
	host   harness.Host
	hooks  hooks
	record *Record

	launched chan struct{} // closed by the first Launch, which is launch
	launch   *harness.Launch
	// what came before the Launch
	provisions []*harness.Provision
	over       chan struct{} // closed when nothing more comes

	sending sync.Mutex // decisions come between other messages
	acks    acks
}

func (p *player) send(m harness.ToHarness) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	return p.host.Send(p.ctx, m)
}

// awaitLaunch waits for the Launch, and returns it.
func (p *player) awaitLaunch() (*harness.Launch, error) {
	select {
	case <-p.launched:
		return p.launch, nil
	case <-p.over:
		return nil, io.EOF
	case <-p.ctx.Done():
		return nil, fmt.Errorf("wait for launch: %w", p.ctx.Err())
	}
}

// receive files messages until the end of the session.
func (p *player) receive() error {
	p.record = &Record{}
	defer close(p.over)
	var deciding sync.WaitGroup
	defer deciding.Wait()
	for {
		m, err := p.host.Recv(p.ctx)
		if errors.Is(err, io.EOF) && p.record.Result != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("receive from harness: %w", err)
		}
		p.record.add(m)
		switch m := m.(type) {
		case *harness.Events:
			p.acks.reach(m.JournalEnd)
		case *harness.Launch:
			if p.launch == nil {
				p.launch, p.provisions = m, slices.Clone(p.record.Provisions)
				close(p.launched)
			}
		case *harness.Ask:
			// The receiver must not wait for a harness that waits for it.
			p.acks.asked()
			deciding.Go(func() { p.answer(m) })
		}
		if p.hooks.each != nil {
			p.hooks.each(p, m)
		}
	}
}

func (p *player) answer(a *harness.Ask) {
	defer p.acks.answered()
	if d := p.hooks.decide(a); d != nil {
		d.Ask = a.ID
		_ = p.send(d) // a harness that is gone needs no answer
	}
}
