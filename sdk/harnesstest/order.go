package harnesstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// Order checks the events of a whole run as a harness sends them and returns
// what is wrong: messages and tool calls that aren't opened and closed in their
// order, arguments that aren't JSON, and events that only the host may make.
// Messages and tool calls may interleave.
func Order(events []agui.Event) []string {
	o := order{messages: map[string]state{}, stretches: map[string]state{}, calls: map[string]state{}, args: map[string]*strings.Builder{}}
	for i, e := range events {
		o.at = fmt.Sprintf("event %d (%s)", i, e.EventType())
		o.event(e)
	}
	o.at = "the end"
	o.leftOpen("message", o.messages)
	o.leftOpen("stretch of reasoning", o.stretches)
	o.leftOpen("tool call", o.calls)
	return o.problems
}

// state is how far a message or a tool call has come; each has only some.
type state string

const (
	none     state = ""
	text     state = "an open text message"
	thought  state = "an open message of reasoning"
	open     state = "open"
	complete state = "without its result"
	closed   state = "closed"
)

type order struct {
	at       string
	messages map[string]state
	// stretches of reasoning may share their id with the message in them
	stretches map[string]state
	calls     map[string]state
	args      map[string]*strings.Builder
	problems  []string
}

func (o *order) wrong(format string, args ...any) {
	o.problems = append(o.problems, o.at+": "+fmt.Sprintf(format, args...))
}

func (o *order) event(e agui.Event) {
	switch e := e.(type) {
	case agui.RunStarted, agui.RunFinished, agui.RunError:
		o.wrong("only the host makes these")
	case agui.TextMessageStart:
		o.move(o.messages, e.MessageID, none, text)
		o.role(e.Role, "assistant")
	case agui.TextMessageContent:
		o.move(o.messages, e.MessageID, text, text)
		o.delta(e.Delta)
	case agui.TextMessageEnd:
		o.move(o.messages, e.MessageID, text, closed)
	case agui.ReasoningStart, agui.ReasoningMessageStart, agui.ReasoningMessageContent, agui.ReasoningMessageEnd, agui.ReasoningEnd:
		o.reasoning(e)
	case agui.ToolCallStart, agui.ToolCallArgs, agui.ToolCallEnd, agui.ToolCallResult:
		o.call(e)
	case agui.Custom:
		o.custom(e)
	case agui.Raw:
		if !json.Valid(e.Event) {
			o.wrong("the event in it isn't JSON")
		}
	}
}

func (o *order) reasoning(e agui.Event) {
	switch e := e.(type) {
	case agui.ReasoningStart:
		o.move(o.stretches, e.MessageID, none, open)
	case agui.ReasoningMessageStart:
		o.move(o.messages, e.MessageID, none, thought)
		o.insideStretch()
		o.role(e.Role, "reasoning")
	case agui.ReasoningMessageContent:
		o.move(o.messages, e.MessageID, thought, thought)
		o.delta(e.Delta)
	case agui.ReasoningMessageEnd:
		o.move(o.messages, e.MessageID, thought, closed)
	case agui.ReasoningEnd:
		o.move(o.stretches, e.MessageID, open, closed)
	}
}

func (o *order) insideStretch() {
	for _, s := range o.stretches {
		if s == open {
			return
		}
	}
	o.wrong("reasoning outside of REASONING_START and REASONING_END")
}

func (o *order) call(e agui.Event) {
	switch e := e.(type) {
	case agui.ToolCallStart:
		o.move(o.calls, e.ToolCallID, none, open)
		o.args[e.ToolCallID] = &strings.Builder{}
		if e.ToolCallName == "" {
			o.wrong("a tool call without a name")
		}
	case agui.ToolCallArgs:
		o.move(o.calls, e.ToolCallID, open, open)
		if b := o.args[e.ToolCallID]; b != nil {
			b.WriteString(e.Delta)
		}
	case agui.ToolCallEnd:
		o.move(o.calls, e.ToolCallID, open, complete)
		if b := o.args[e.ToolCallID]; b != nil && !json.Valid([]byte(b.String())) {
			o.wrong("the arguments of tool call %q aren't one JSON value: %.200s", e.ToolCallID, b.String())
		}
	case agui.ToolCallResult:
		o.move(o.calls, e.ToolCallID, complete, closed)
		o.role(e.Role, "tool")
		if e.MessageID == "" {
			o.wrong("a result without a message id")
		}
	}
}

func (o *order) custom(e agui.Custom) {
	if e.Name == "" || !json.Valid(e.Value) {
		o.wrong("a custom event needs a name and a value")
	}
	var w agui.Warning
	if e.Name == agui.CustomWarning && (json.Unmarshal(e.Value, &w) != nil || w.Code == "" || w.Text == "") {
		o.wrong("a warning needs code and text: %s", e.Value)
	}
}

// move takes id from one state to the next.
func (o *order) move(all map[string]state, id string, from, to state) {
	if id == "" {
		o.wrong("no id")
	}
	if all[id] != from {
		have := all[id]
		if have == none {
			have = "unknown"
		}
		o.wrong("%q is %s", id, have)
	}
	all[id] = to
}

func (o *order) role(got, want string) {
	if got != want {
		o.wrong("role %q, want %q", got, want)
	}
}

func (o *order) delta(s string) {
	if s == "" {
		o.wrong("an empty delta")
	}
}

func (o *order) leftOpen(what string, all map[string]state) {
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if s := all[id]; s != closed {
			o.wrong("%s %q is still %s", what, id, s)
		}
	}
}
