//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// whole fails the test unless a log is one of a whole run.
func whole(t *testing.T, events []event) {
	t.Helper()
	for _, p := range problems(events) {
		t.Error(p)
	}
}

// How far a tool call has come.
const (
	callBegun, callArgued, callEnded, callAnswered = "is started", "has arguments", "is ended", "is answered"
)

// problems are what is wrong with a log: it begins and ends as it should,
// messages are opened and closed, and each tool call has its start, arguments
// that are JSON, its end and its result, in this order.
func problems(events []event) []string {
	var found []string
	wrong := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if len(events) < 3 || events[0].Event.Type != "RUN_STARTED" || events[1].Event.Name != "run.accepted" {
		wrong("the log doesn't begin with a run that is accepted: %d events", len(events))
	}
	calls, args, messages := map[string]string{}, map[string]string{}, map[string]bool{}
	for i, e := range events {
		id, was := e.Event.ToolCallID, calls[e.Event.ToolCallID]
		step := func(to string, from ...string) {
			for _, f := range from {
				if f == was {
					calls[id] = to
					return
				}
			}
			wrong("event %d: %s of a call that %s", i, e.Event.Type, was)
		}
		switch e.Event.Type {
		case "TOOL_CALL_START":
			step(callBegun, "")
			if e.Event.ToolCallName == "" {
				wrong("event %d: a call without a name", i)
			}
		case "TOOL_CALL_ARGS":
			step(callArgued, callBegun, callArgued)
			args[id] += e.Event.Delta
		case "TOOL_CALL_END":
			step(callEnded, callArgued)
			if !json.Valid([]byte(args[id])) {
				wrong("event %d: arguments that are no JSON: %s", i, args[id])
			}
		case "TOOL_CALL_RESULT":
			step(callAnswered, callEnded)
		case "TEXT_MESSAGE_START":
			messages[e.Event.MessageID] = true
		case "TEXT_MESSAGE_CONTENT":
			if !messages[e.Event.MessageID] {
				wrong("event %d: text of a message that isn't open", i)
			}
		case "TEXT_MESSAGE_END":
			delete(messages, e.Event.MessageID)
		}
		if last := i == len(events)-1; last != (e.Event.Type == "RUN_FINISHED" || e.Event.Type == "RUN_ERROR") {
			wrong("event %d of %d is %s", i, len(events), e.Event.Type)
		}
	}
	for id, state := range calls {
		if state != callAnswered {
			wrong("the call %s %s, and no more", id, state)
		}
	}
	if len(messages) > 0 {
		wrong("%d messages are left open", len(messages))
	}
	return found
}

func TestWhatIsWrongWithALogIsFound(t *testing.T) {
	t.Parallel()
	const begin, end = `{"type":"RUN_STARTED"} {"type":"CUSTOM","name":"run.accepted"} `, ` {"type":"RUN_FINISHED"}`
	const start, argue, finish, answer = `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`, `{"type":"TOOL_CALL_RESULT","toolCallId":"c"}`
	for _, c := range []struct{ name, log, says string }{
		{"nothing is wrong", begin + start + argue + finish + answer + end, ""},
		{"it doesn't begin", end, "doesn't begin"},
		{"it doesn't end", begin + start + argue + finish + answer, "is TOOL_CALL_RESULT"},
		{"it ends twice", begin + end + end, "is RUN_FINISHED"},
		{"no result", begin + start + argue + finish + end, "is ended, and no more"},
		{"no arguments", begin + start + finish + answer + end, "TOOL_CALL_END of a call that is started"},
		{"two results", begin + start + argue + finish + answer + answer + end, "TOOL_CALL_RESULT of a call that is answered"},
		{"arguments that are no JSON", begin + start + argue + argue + finish + answer + end, "no JSON"},
		{"a message that is left open", begin + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + end, "left open"},
		{"text of no message", begin + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}` + end, "isn't open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events []event
			for log := json.NewDecoder(strings.NewReader(c.log)); log.More(); {
				var e event
				if err := log.Decode(&e.Event); err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
			}
			got := strings.Join(problems(events), "\n")
			if (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
				t.Errorf("found %q, want %q", got, c.says)
			}
		})
	}
}
