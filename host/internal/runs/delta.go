package runs

import (
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// delta is the text of an event that is a piece of something.
type delta struct {
	of   string // what it is a piece of
	text string
	with func(text string) agui.Event
}

const (
	ofText      = "text "
	ofReasoning = "reasoning "
	ofArguments = "arguments "
)

func deltaOf(e agui.Event) (delta, bool) {
	switch e := e.(type) {
	case agui.TextMessageContent:
		return delta{ofText + e.MessageID, e.Delta, func(s string) agui.Event { return agui.TextMessageContent{MessageID: e.MessageID, Delta: s} }}, true
	case agui.ReasoningMessageContent:
		return delta{ofReasoning + e.MessageID, e.Delta, func(s string) agui.Event { return agui.ReasoningMessageContent{MessageID: e.MessageID, Delta: s} }}, true
	case agui.ToolCallArgs:
		return delta{ofArguments + e.ToolCallID, e.Delta, func(s string) agui.Event { return agui.ToolCallArgs{ToolCallID: e.ToolCallID, Delta: s} }}, true
	}
	return delta{}, false
}

// endOf tells of what an event is the end.
func endOf(e agui.Event) (of string, ends bool) {
	switch e := e.(type) {
	case agui.TextMessageEnd:
		return ofText + e.MessageID, true
	case agui.ReasoningMessageEnd:
		return ofReasoning + e.MessageID, true
	case agui.ToolCallEnd:
		return ofArguments + e.ToolCallID, true
	}
	return "", false
}

// open are the messages that may go on, by what their pieces are of.
type open struct {
	all  map[string]*message
	uses int
}

type message struct {
	stream *secrets.Stream
	used   int // when, by uses of open
}

// mostOpen bounds how many messages are remembered: an agent may begin any number
// and end none.
const mostOpen = 256

func (o *open) stream(of string, r *secrets.Redactor) *secrets.Stream {
	o.uses++
	m := o.all[of]
	if m == nil {
		if o.all == nil {
			o.all = map[string]*message{}
		}
		if len(o.all) == mostOpen {
			o.forgetOldest()
		}
		m = &message{stream: r.Stream()}
		o.all[of] = m
	}
	m.used = o.uses
	return m.stream
}

func (o *open) forget(of string) { delete(o.all, of) }

func (o *open) forgetOldest() {
	oldest, at := "", 0
	for of, m := range o.all {
		if at == 0 || m.used < at {
			oldest, at = of, m.used
		}
	}
	delete(o.all, oldest)
}
