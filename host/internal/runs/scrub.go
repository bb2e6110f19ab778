package runs

import (
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// scrubber takes secrets out of the agent's events. Agents stream what they say
// in pieces, and several messages at once, so a secret may lie over several
// events, with others between. An event whose text ends with what may be the
// beginning of a secret is kept back until the next event; if that belongs to the
// same message, it takes the doubtful end over. Events come out in order, one for
// one.
type scrubber struct {
	redactor *secrets.Redactor // nil: there is nothing to scrub
	messages open
	held     *store.Event // kept back
	piece    delta        // of held, as far as it is clean
}

// What of a secret's beginning is taken for one, in bytes, where nobody can wait
// for the rest: while a message may go on, and at its end.
const (
	beginning = 4
	ending    = 8
)

// add takes the next event and returns what can be written.
func (s *scrubber) add(e store.Event) ([]store.Event, error) {
	if s.redactor == nil {
		return []store.Event{e}, nil
	}
	event, err := agui.Unmarshal(e.Payload)
	if err != nil { // not one of ours, but it may still hold a secret
		return append(s.flush(), s.whole(e)), nil //nolint:nilerr // it is stored as it came
	}
	d, ok := deltaOf(event)
	if !ok {
		return append(s.after(event), s.whole(e)), nil
	}
	var out []store.Event
	if s.held != nil && s.piece.of == d.of {
		out = append(out, s.release(nil))
	} else {
		out = s.flush()
	}
	stream := s.messages.stream(d.of, s.redactor)
	d.text = string(stream.Redact([]byte(d.text)))
	s.held, s.piece = &e, d
	if stream.Held() == 0 {
		out = append(out, s.release(nil))
	}
	return out, nil
}

// after gives out what was kept back before an event that is no piece of anything.
func (s *scrubber) after(event agui.Event) []store.Event {
	of, ends := endOf(event)
	if !ends {
		return s.flush()
	}
	var out []store.Event
	if s.held != nil && s.piece.of == of {
		out = append(out, s.release(s.messages.stream(of, s.redactor).Settle(ending)))
	} else {
		out = s.flush()
	}
	s.messages.forget(of)
	return out
}

// flush gives out what was kept back. The message may go on: what was told of a
// secret's beginning then is remembered.
func (s *scrubber) flush() []store.Event {
	if s.held == nil {
		return nil
	}
	return []store.Event{s.release(s.messages.stream(s.piece.of, s.redactor).Settle(beginning))}
}

// pause is flush for an event of the host's own, before which what is kept back
// needn't stand: it stays so if part of it would be lost.
func (s *scrubber) pause() []store.Event {
	if s.held == nil || s.messages.stream(s.piece.of, s.redactor).Held() >= beginning {
		return nil
	}
	return s.flush()
}

// reset forgets what it has seen.
func (s *scrubber) reset() { s.held, s.messages = nil, open{} }

func (s *scrubber) release(rest []byte) store.Event {
	e := *s.held
	s.held = nil
	payload, err := agui.Marshal(s.piece.with(s.piece.text + string(rest)))
	if err != nil { // it was decoded from JSON a moment ago
		payload = nil
	}
	e.Payload = payload
	return s.whole(e)
}

// whole scrubs an event by itself.
func (s *scrubber) whole(e store.Event) store.Event {
	e.Payload = redactEvent(s.redactor.Redact, e.Payload)
	return e
}
