package main

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// brief writes events in few words, for tests to compare: ids without the run.
// The event that tells the session is left out.
func brief(events []agui.Event) []string {
	var out []string
	for _, e := range events {
		if c, ok := e.(agui.Custom); ok && c.Name == sessionIDEvent {
			continue
		}
		out = append(out, strings.TrimSpace(briefly(e)))
	}
	return out
}

func briefly(e agui.Event) string {
	id := func(s string) string { return strings.TrimPrefix(s, "r-") }
	switch e := e.(type) {
	case agui.TextMessageStart:
		return "text start " + id(e.MessageID)
	case agui.TextMessageContent:
		return "text " + id(e.MessageID) + " " + e.Delta
	case agui.TextMessageEnd:
		return "text end " + id(e.MessageID)
	case agui.ReasoningStart:
		return "reasoning start " + id(e.MessageID)
	case agui.ReasoningMessageStart:
		return "reasoning message start " + id(e.MessageID)
	case agui.ReasoningMessageContent:
		return "reasoning message " + id(e.MessageID) + " " + e.Delta
	case agui.ReasoningMessageEnd:
		return "reasoning message end " + id(e.MessageID)
	case agui.ReasoningEnd:
		return "reasoning end " + id(e.MessageID)
	case agui.ToolCallStart:
		return "call start " + id(e.ToolCallID) + " " + e.ToolCallName
	case agui.ToolCallArgs:
		return "call args " + id(e.ToolCallID) + " " + e.Delta
	case agui.ToolCallEnd:
		return "call end " + id(e.ToolCallID)
	case agui.ToolCallResult:
		text := "call result " + id(e.ToolCallID) + " " + id(e.MessageID) + " " + e.Content
		if e.Error != "" {
			text += " error " + e.Error
		}
		return text
	case agui.Custom:
		return "custom " + e.Name + " " + string(e.Value)
	case agui.Raw:
		return "raw " + string(e.Event)
	}
	return e.EventType()
}
