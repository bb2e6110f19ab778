package runs

import (
	"bytes"

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
	going    going
}

// going is the message that goes on: most events are its next piece, and most
// pieces are stored as they came.
type going struct {
	head   []byte // what the JSON of its pieces begins with; clean by itself; nil: none goes on
	stream *secrets.Stream
}

// What of a secret's beginning is taken for one, in bytes, where nobody can wait
// for the rest: while a message may go on, and at its end.
const (
	beginning = 4
	ending    = 8
)

// add takes the next event and adds what can be written to out.
func (s *scrubber) add(out []store.Event, e store.Event) []store.Event {
	if s.redactor == nil {
		return append(out, e)
	}
	head, text, ok := agui.Cut(e.Payload)
	if ok && s.passes(head, text, e.Payload) {
		return append(out, e)
	}
	return s.long(out, e, head)
}

// long is the long way. head is what the event's JSON begins with if it is a piece.
func (s *scrubber) long(out []store.Event, e store.Event, head []byte) []store.Event {
	event, err := agui.Unmarshal(e.Payload)
	if err != nil { // not one of ours, but it may still hold a secret
		return append(s.flush(out), s.whole(e))
	}
	d, ok := deltaOf(event)
	if !ok {
		return append(s.after(out, event), s.whole(e))
	}
	if s.held != nil && s.piece.of == d.of {
		out = append(out, s.release(nil))
	} else {
		out = s.flush(out)
	}
	stream := s.messages.stream(d.of, s.redactor)
	s.going = going{}
	if head != nil && s.redactor.Clean(head) {
		s.going = going{bytes.Clone(head), stream}
	}
	d.text = string(stream.Redact([]byte(d.text)))
	s.held, s.piece = &e, d
	if stream.Held() == 0 {
		out = append(out, s.release(nil))
	}
	return out
}

// passes reports whether a piece can be stored as it came: nothing is kept back,
// and nothing of it, of its JSON, or of what was said before it is or may become a
// secret. All else goes the long way, which would give the same.
func (s *scrubber) passes(head, text, payload []byte) bool {
	if s.held != nil || !bytes.Equal(head, s.going.head) || !s.going.stream.Passes(text) {
		return false
	}
	inside := payload[len(head) : len(payload)-len(`"}`)] // what comes after it is too short for a secret
	return len(inside) == len(text) || s.redactor.Clean(inside)
}

// after gives out what was kept back before an event that is no piece of anything.
func (s *scrubber) after(out []store.Event, event agui.Event) []store.Event {
	of, ends := endOf(event)
	if !ends {
		return s.flush(out)
	}
	if s.held != nil && s.piece.of == of {
		out = append(out, s.release(s.messages.stream(of, s.redactor).Settle(ending)))
	} else {
		out = s.flush(out)
	}
	s.messages.forget(of)
	s.going = going{}
	return out
}

// flush gives out what was kept back. The message may go on: what was told of a
// secret's beginning then is remembered.
func (s *scrubber) flush(out []store.Event) []store.Event {
	if s.held == nil {
		return out
	}
	return append(out, s.release(s.messages.stream(s.piece.of, s.redactor).Settle(beginning)))
}

// pause is flush for an event of the host's own, before which what is kept back
// needn't stand: it stays so if part of it would be lost.
func (s *scrubber) pause() []store.Event {
	if s.held == nil || s.messages.stream(s.piece.of, s.redactor).Held() >= beginning {
		return nil
	}
	return s.flush(nil)
}

// reset forgets what it has seen.
func (s *scrubber) reset() { s.held, s.messages, s.going = nil, open{}, going{} }

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
