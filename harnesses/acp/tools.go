package main

import (
	"encoding/json"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// tools are the tool calls of the turn.
//
// Arguments go out once, whole. Agents that stream them send a growing rawInput
// while the call is pending, without saying when it is complete; it is once the
// tool runs, asks, ends, or anything else comes from the agent.
type tools struct {
	s      *harness.Session
	speech *speech
	byID   map[string]*tool // by the agent's id
	open   []*tool          // announced and not closed, in order
}

// update takes a tool_call or a tool_call_update. False: it can't be read.
func (ts *tools) update(isNew bool, raw json.RawMessage) bool {
	var f toolFields
	if json.Unmarshal(raw, &f) != nil || f.ID == "" {
		return false
	}
	t := ts.byID[f.ID]
	switch {
	case t == nil || (t.closed && isNew): // some agents use an id again
		t = ts.add(f.ID)
	case t.closed:
		return true // an afterthought to a call that has its result
	}
	t.fields.merge(f)
	if t.id == "" { // gemini announces calls it asks about by an update only
		ts.announce(t)
	}
	ts.progress(t, f.Status)
	return true
}

func (ts *tools) add(id string) *tool {
	t := &tool{}
	ts.byID[id] = t
	return t
}

func (ts *tools) announce(t *tool) {
	ts.flushArgs(t)
	ts.speech.close()
	t.id = ts.s.NewID()
	ts.open = append(ts.open, t)
	ts.s.Emit(agui.ToolCallStart{ToolCallID: t.id, ToolCallName: t.fields.label()})
	if t.fields.Status == "" && t.fields.hasInput() {
		ts.sendArgs(t)
	}
}

// progress acts on a status that just came; empty: none came.
func (ts *tools) progress(t *tool, status string) {
	switch status {
	case "in_progress":
		if t.fields.hasInput() {
			ts.sendArgs(t)
		}
	case "completed":
		ts.close(t, t.fields.answer(), "")
	case "failed", "cancelled", "canceled":
		ts.close(t, t.fields.answer(), status)
	}
}

// flushArgs sends the arguments that are complete because something else came,
// about but or about no tool.
func (ts *tools) flushArgs(but *tool) {
	for _, t := range ts.open {
		if t != but && !t.argsSent && t.fields.hasInput() {
			ts.sendArgs(t)
		}
	}
}

func (ts *tools) sendArgs(t *tool) {
	if t.argsSent {
		return
	}
	t.argsSent = true
	ts.speech.close()
	ts.s.Emit(agui.ToolCallArgs{ToolCallID: t.id, Delta: t.fields.args()})
	ts.s.Emit(agui.ToolCallEnd{ToolCallID: t.id})
}

func (ts *tools) close(t *tool, content, failure string) {
	ts.sendArgs(t)
	ts.speech.close()
	ts.s.Emit(agui.ToolCallResult{
		MessageID: ts.s.NewID(), ToolCallID: t.id, Role: "tool", Content: content, Error: failure,
	})
	t.closed, t.fields = true, toolFields{} // a long run has many
	ts.open = slices.DeleteFunc(ts.open, func(o *tool) bool { return o == t })
}

// interrupt closes what is still open at the end.
func (ts *tools) interrupt() {
	for len(ts.open) > 0 {
		ts.close(ts.open[0], "", "interrupted")
	}
}

// asked merges what a permission request tells and returns all that is known.
// What the call has already told stays: agents ask with a rawInput of their own.
func (ts *tools) asked(f toolFields) toolFields {
	if f.ID == "" {
		return f
	}
	t := ts.byID[f.ID]
	if t == nil || t.closed {
		t = ts.add(f.ID)
	}
	known := t.fields
	t.fields.merge(f)
	all := t.fields
	if known.hasInput() {
		t.fields.Input = known.Input
	}
	if t.id != "" && t.fields.hasInput() {
		ts.sendArgs(t)
	}
	return all
}
