package runs

import (
	"context"
	"errors"
	"sync"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// begin starts the goroutines around the loop. They end with ctx.
func (p *pump) begin(ctx context.Context, group *sync.WaitGroup, reader *journal.Reader) *streams {
	s := &streams{
		messages: make(chan harness.FromHarness, 64),
		broken:   make(chan error, 1),
		tooLong:  make(chan int64),
		drained:  make(chan error, 1),
		acks:     make(chan struct{}, window),
		ended:    make(chan ended, 1),
	}
	batches, read := make(chan journal.Batch), make(chan error, 1)
	group.Go(func() {
		read <- reader.Run(ctx, func(b journal.Batch) error {
			select {
			case batches <- b:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(batches)
	})
	group.Go(func() { p.receive(ctx, s) })
	group.Go(func() { p.send(ctx, s, batches, read) })
	group.Go(func() {
		exit, known, err := p.awaitEnd(ctx)
		s.ended <- ended{exit, known, err}
	})
	if p.stdin != nil {
		group.Go(func() { feed(ctx, p.input, p.stdin) })
	}
	return s
}

// receive passes on what the harness says.
func (p *pump) receive(ctx context.Context, s *streams) {
	for {
		m, err := p.host.Recv(ctx)
		if err != nil {
			s.broken <- err
			return
		}
		select {
		case s.messages <- m:
		case <-ctx.Done():
			return
		}
	}
}

// send gives the harness the agent's lines, a few batches ahead of its
// acknowledgements, and what the loop has to say in between.
func (p *pump) send(ctx context.Context, s *streams, batches <-chan journal.Batch, read <-chan error) {
	var (
		flying int            // batches without acknowledgement
		held   *journal.Batch // a dropped line that waits for all before it
		over   bool           // no batch comes any more
		broken bool           // the harness takes nothing; the loop hears of it from receive
	)
	give := func(m harness.ToHarness) bool {
		broken = broken || p.host.Send(ctx, m) != nil
		return !broken
	}
	for {
		if broken {
			flying = 0
		}
		p.owed.Store(int64(flying))
		in, tooLong := batches, (chan<- int64)(nil)
		switch {
		case held != nil && flying == 0:
			in, tooLong = nil, s.tooLong
		case held != nil || flying >= window:
			in = nil
		case over && flying == 0:
			s.drained <- <-read
			over = false
		}
		select {
		case <-ctx.Done():
			return
		case <-s.acks:
			flying = max(0, flying-1)
		case <-p.control.wake:
			messages, _ := p.control.take()
			for _, m := range messages {
				give(m)
			}
		case tooLong <- size(held):
			held = nil
		case b, ok := <-in:
			switch {
			case !ok:
				batches, over = nil, true
			case b.TooLong > 0:
				held = &b
			case give(&harness.Lines{Data: b.Data, End: b.End}):
				flying++
			}
		}
	}
}

// size is the length of the line that was dropped, if there is one.
func size(dropped *journal.Batch) int64 {
	if dropped == nil {
		return 0
	}
	return dropped.TooLong
}

// tell gives the harness a message without waiting for it.
func (p *pump) tell(m harness.ToHarness) { p.control.push(m) }

// outputEnded notes that all output is in. A journal that is gone is told of
// where the agent's end is judged.
func (p *pump) outputEnded(ctx context.Context, err error) error {
	p.drained = true
	if p.exit != nil && !p.stopped {
		p.clocks.set(clockSilence, silence)
	}
	p.maybeTellExit()
	if errors.Is(err, journal.ErrLost) {
		if p.forced == nil && !p.stopped {
			p.forced = p.lostJournal()
		}
		if p.exit == nil {
			p.kill(ctx, exitGrace) // nobody can follow it any more
		}
		return nil
	}
	return err
}

// lostJournal is why there is nothing to read.
func (p *pump) lostJournal() *endError {
	if words := p.wrapperErr.String(); words != "" && p.exit != nil && p.exit.Code == journal.CannotWrite {
		return &endError{harness.ReasonBootstrapFailed, "the agent was not started: " + words}
	}
	return &endError{
		harness.ReasonAgentLost,
		"what the agent printed is gone: somebody removed or cut the journal in " + p.journal.Folder(),
	}
}
