package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// closings end what the agent's events have left open, where no harness is
// there to do it: a client must not wait for the rest of a message or the result
// of a tool. They are written with the run's end, so that they come once.
func (l *log) closings(ctx context.Context) ([]store.Event, error) {
	if err := l.flush(ctx); err != nil {
		return nil, err
	}
	var o openings
	for after := int64(0); ; {
		var events []store.Event
		err := l.retry(ctx, func() (err error) {
			events, err = l.store.Events(ctx, l.run.ID, after, 500)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			after = e.Seq
			if event, err := agui.Unmarshal(e.Payload); err == nil && e.Source == store.Agent {
				o.see(event)
			}
		}
	}
	return l.encode(o.ends(l.run.ID)...)
}

// openings are the messages and calls that have begun and not ended, oldest
// first.
type openings struct {
	texts, thoughts, stretches []string // message ids
	calls                      []call
}

// call is a tool call without a result.
type call struct {
	id, name string
	complete bool // its arguments are
}

func (o *openings) see(e agui.Event) {
	drop := func(list *[]string, id string) {
		*list = slices.DeleteFunc(*list, func(s string) bool { return s == id })
	}
	switch e := e.(type) {
	case agui.TextMessageStart:
		o.texts = append(o.texts, e.MessageID)
	case agui.TextMessageEnd:
		drop(&o.texts, e.MessageID)
	case agui.ReasoningStart:
		o.stretches = append(o.stretches, e.MessageID)
	case agui.ReasoningEnd:
		drop(&o.stretches, e.MessageID)
	case agui.ReasoningMessageStart:
		o.thoughts = append(o.thoughts, e.MessageID)
	case agui.ReasoningMessageEnd:
		drop(&o.thoughts, e.MessageID)
	case agui.ToolCallStart:
		o.calls = append(o.calls, call{id: e.ToolCallID, name: e.ToolCallName})
	case agui.ToolCallEnd:
		for i := range o.calls {
			o.calls[i].complete = o.calls[i].complete || o.calls[i].id == e.ToolCallID
		}
	case agui.ToolCallResult:
		o.calls = slices.DeleteFunc(o.calls, func(c call) bool { return c.id == e.ToolCallID })
	}
}

// ends are the events that end them.
func (o *openings) ends(run string) []agui.Event {
	var all []agui.Event
	for _, id := range o.texts {
		all = append(all, agui.TextMessageEnd{MessageID: id})
	}
	for _, id := range o.thoughts {
		all = append(all, agui.ReasoningMessageEnd{MessageID: id})
	}
	for _, id := range o.stretches {
		all = append(all, agui.ReasoningEnd{MessageID: id})
	}
	for i, c := range o.calls {
		if !c.complete {
			all = append(all, agui.ToolCallEnd{ToolCallID: c.id})
		}
		all = append(all, agui.ToolCallResult{
			MessageID: fmt.Sprintf("%s-end-%d", run, i+1), ToolCallID: c.id, Role: "tool", Error: "interrupted",
		})
	}
	return all
}
