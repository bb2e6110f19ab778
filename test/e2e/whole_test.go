//go:build linux

package e2e

import (
	"encoding/json"
	"testing"
)

// whole fails the test unless a log is one of a whole run: it begins and ends as
// it should, messages are opened and closed, and each tool call has its start,
// arguments that are JSON, its end and its result, in this order.
func whole(t *testing.T, events []event) {
	t.Helper()
	if len(events) < 3 || events[0].Event.Type != "RUN_STARTED" || events[1].Event.Name != "run.accepted" {
		t.Fatalf("the log doesn't begin with a run that is accepted: %d events", len(events))
	}
	const started, argued, ended, answered = "started", "has arguments", "ended", "answered"
	calls, args, messages := map[string]string{}, map[string]string{}, map[string]bool{}
	step := func(i int, e event, from, to string) {
		if got := calls[e.Event.ToolCallID]; got != from && (from != started || got != argued) {
			t.Errorf("event %d: %s of a call that %q", i, e.Event.Type, got)
		}
		calls[e.Event.ToolCallID] = to
	}
	for i, e := range events {
		switch e.Event.Type {
		case "TOOL_CALL_START":
			step(i, e, "", started)
			if e.Event.ToolCallName == "" {
				t.Errorf("event %d: a call without a name", i)
			}
		case "TOOL_CALL_ARGS":
			step(i, e, started, argued)
			args[e.Event.ToolCallID] += e.Event.Delta
		case "TOOL_CALL_END":
			step(i, e, argued, ended)
			if !json.Valid([]byte(args[e.Event.ToolCallID])) {
				t.Errorf("event %d: arguments that are no JSON: %s", i, args[e.Event.ToolCallID])
			}
		case "TOOL_CALL_RESULT":
			step(i, e, ended, answered)
		case "TEXT_MESSAGE_START":
			messages[e.Event.MessageID] = true
		case "TEXT_MESSAGE_CONTENT":
			if !messages[e.Event.MessageID] {
				t.Errorf("event %d: text of a message that isn't open", i)
			}
		case "TEXT_MESSAGE_END":
			delete(messages, e.Event.MessageID)
		case "RUN_FINISHED", "RUN_ERROR":
			if i != len(events)-1 {
				t.Errorf("event %d of %d: %s isn't the last", i, len(events), e.Event.Type)
			}
		}
	}
	for id, state := range calls {
		if state != answered {
			t.Errorf("the call %s is left: %s", id, state)
		}
	}
	if len(messages) > 0 {
		t.Errorf("%d messages are left open", len(messages))
	}
	if last := events[len(events)-1].Event.Type; last != "RUN_FINISHED" && last != "RUN_ERROR" {
		t.Errorf("the last event is %s", last)
	}
}
