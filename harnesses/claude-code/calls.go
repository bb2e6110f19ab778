package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// calls are the tool calls of the run, of subagents too. Arguments go out once,
// whole: pieces of a call that is cut would never be JSON.
type calls struct {
	s    *harness.Session
	byID map[string]*call // by the CLI's id; the last of those with the same
	open []*call          // started and without a result, in order
}

type call struct {
	id       string // ours
	name     string
	argsSent bool
	closed   bool
}

// ourID is our id of a call of the CLI's; empty: there is none.
func (cs *calls) ourID(id string) string {
	if c := cs.byID[id]; c != nil && id != "" {
		return c.id
	}
	return ""
}

// start begins a call, unless it has begun. One that has its result is over: the
// same id is another call then.
func (cs *calls) start(id, name, parent string) *call {
	if c := cs.byID[id]; c != nil && !c.closed {
		return c
	}
	if name == "" {
		name = "tool"
	}
	c := &call{id: cs.s.NewID(), name: name}
	cs.byID[id] = c
	cs.open = append(cs.open, c)
	cs.s.Emit(agui.ToolCallStart{ToolCallID: c.id, ToolCallName: name, ParentToolCallID: cs.ourID(parent)})
	return c
}

// whole takes a call with its arguments.
func (cs *calls) whole(id, name, parent string, input json.RawMessage) {
	cs.sendArgs(cs.start(id, name, parent), compact(input))
}

// args takes the arguments as they were streamed.
func (cs *calls) args(id, input string) {
	if c := cs.byID[id]; c != nil {
		cs.sendArgs(c, input)
	}
}

func (cs *calls) sendArgs(c *call, input string) {
	if c.argsSent {
		return
	}
	c.argsSent = true
	if !json.Valid([]byte(input)) {
		input = "{}" // none came, or it was cut
	}
	cs.s.Emit(agui.ToolCallArgs{ToolCallID: c.id, Delta: input})
	cs.s.Emit(agui.ToolCallEnd{ToolCallID: c.id})
}

// result takes what a tool answered. One to a call that nobody made here, such
// as one of an earlier run, is dropped.
func (cs *calls) result(id, content string, isError bool) {
	c := cs.byID[id]
	if c == nil || c.closed {
		return
	}
	failure := ""
	if isError {
		failure = "failed"
	}
	cs.close(c, content, failure)
}

func (cs *calls) close(c *call, content, failure string) {
	cs.sendArgs(c, "")
	c.closed = true
	cs.s.Emit(agui.ToolCallResult{
		MessageID: cs.s.NewID(), ToolCallID: c.id, Role: "tool", Content: content, Error: failure,
	})
	cs.open = slices.DeleteFunc(cs.open, func(o *call) bool { return o == c })
}

// interrupt closes what is open at the end.
func (cs *calls) interrupt() {
	for len(cs.open) > 0 {
		cs.close(cs.open[0], "", "interrupted")
	}
}

// resultText joins the texts of a tool's result; one without any is given as
// its JSON.
func resultText(content json.RawMessage) string {
	var text string
	if isNull(content) || json.Unmarshal(content, &text) == nil {
		return text
	}
	list, _ := blocks(content)
	var parts []string
	for _, b := range list {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	if len(parts) == 0 {
		return compact(content)
	}
	return strings.Join(parts, "\n")
}
