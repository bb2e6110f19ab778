package runs

import (
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// scrubber takes secrets out of the agent's events. Agents stream what they say
// in pieces, so a secret may lie over several events: one whose text ends with
// what may be the beginning of a secret is kept back until the next event of the
// same message, or any other, tells. Events come out in order, one for one.
type scrubber struct {
	redactor *secrets.Redactor // nil: there is nothing to scrub
	stream   *secrets.Stream   // of the message that the last event belongs to
	held     *store.Event      // kept back
	piece    delta             // of held, as far as it is clean
}

// delta is the text of an event that is a piece of something.
type delta struct {
	of   string // type and id of what it is a piece of
	text string
	with func(text string) agui.Event
}

func deltaOf(e agui.Event) (delta, bool) {
	switch e := e.(type) {
	case agui.TextMessageContent:
		return delta{e.EventType() + e.MessageID, e.Delta, func(s string) agui.Event { return agui.TextMessageContent{MessageID: e.MessageID, Delta: s} }}, true
	case agui.ReasoningMessageContent:
		return delta{e.EventType() + e.MessageID, e.Delta, func(s string) agui.Event { return agui.ReasoningMessageContent{MessageID: e.MessageID, Delta: s} }}, true
	case agui.ToolCallArgs:
		return delta{e.EventType() + e.ToolCallID, e.Delta, func(s string) agui.Event { return agui.ToolCallArgs{ToolCallID: e.ToolCallID, Delta: s} }}, true
	}
	return delta{}, false
}

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
		return append(s.flush(), s.whole(e)), nil
	}
	var out []store.Event
	if s.held != nil && s.piece.of == d.of {
		out = append(out, s.release(""))
	} else {
		out = s.flush()
		s.stream = s.redactor.Stream()
	}
	d.text = string(s.stream.Redact([]byte(d.text)))
	s.held, s.piece = &e, d
	if !s.stream.Held() {
		out = append(out, s.release(""))
	}
	return out, nil
}

// flush gives out what was kept back: nothing of the same message follows.
func (s *scrubber) flush() []store.Event {
	if s.held == nil {
		return nil
	}
	return []store.Event{s.release(string(s.stream.Close()))}
}

func (s *scrubber) release(rest string) store.Event {
	e := *s.held
	s.held = nil
	payload, err := agui.Marshal(s.piece.with(s.piece.text + rest))
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
