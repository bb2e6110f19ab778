package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// gathered is how many events are written in one go at most.
const gathered = 4096

// message acts on what the harness says.
func (p *pump) message(ctx context.Context, s *streams, m harness.FromHarness) error {
	if p.exit != nil && !p.stopped && !p.drained {
		p.clocks.set(clockSilence, silence)
	}
	switch m := m.(type) {
	case *harness.Events:
		return p.events(ctx, s, m)
	case *harness.Input:
		p.inputFor(m)
	case *harness.Ask:
		return p.ask(ctx, m)
	case *harness.Withdraw:
		return p.withdrawn(ctx, m)
	case *harness.Done:
		p.result = &m.Result
		p.given()
	default:
		return &endError{harness.ReasonPluginCrashed, fmt.Sprintf("the harness sent %T in the middle of the run", m)}
	}
	return nil
}

// events writes them to the log, together with those that are there already:
// one transaction for many is what makes the log fast.
func (p *pump) events(ctx context.Context, s *streams, first *harness.Events) error {
	payloads, offset := first.Payloads, first.JournalEnd
	p.doings.note(first.Payloads)
	p.ack(s, first)
	for len(payloads) < gathered {
		m, ok := s.ready()
		if !ok {
			break
		}
		e, ok := m.(*harness.Events)
		if !ok {
			if err := p.log.agent(ctx, payloads, offset); err != nil {
				return err
			}
			return p.message(ctx, s, m)
		}
		payloads, offset = append(payloads, e.Payloads...), max(offset, e.JournalEnd)
		p.doings.note(e.Payloads)
		p.ack(s, e)
	}
	return p.log.agent(ctx, payloads, offset)
}

// ack notes that the harness has read a batch of lines.
func (p *pump) ack(s *streams, e *harness.Events) {
	if e.JournalEnd == 0 {
		return
	}
	p.alive()
	select {
	case s.acks <- struct{}{}:
	default: // more acknowledgements than batches: not ours to wait for
	}
}

func (p *pump) inputFor(m *harness.Input) {
	if p.stdin != nil && len(m.Data) > 0 {
		p.input.push(m.Data)
	}
	if m.EOF {
		p.input.close()
		p.given()
	}
}

// lineTooLong tells of a line over the cap. It stands among the agent's events,
// since it depends on nothing but the output, so that a replay meets it again.
func (p *pump) lineTooLong(ctx context.Context, size int64) error {
	payload, err := encode(warning("line_too_long", fmt.Sprintf(
		"the agent printed a line of %d bytes, over the limit of %d; it was dropped", size, p.lineCap())))
	if err != nil {
		return err
	}
	return p.log.agent(ctx, [][]byte{payload}, 0)
}
