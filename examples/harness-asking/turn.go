package main

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// line is what the agent prints; what isn't of this form is said as it is.
type line struct {
	Say, Ask, Command, Ran, Output, Error string
	Done                                  bool
}

// turn is what is known of the run so far.
type turn struct {
	s              *harness.Session
	asked          map[string]string // the agent's own id of each question, by ours
	failure        string
	done, canceled bool
}

func (t *turn) line(data []byte) {
	var l line
	switch err := json.Unmarshal(data, &l); {
	case err == nil && l.Ask != "":
		id := t.s.Ask(harness.Ask{Kind: harness.AskCommand, Target: l.Command, Title: "Run " + l.Command})
		t.asked[id] = l.Ask
	case err == nil && l.Ran != "":
		t.tool(l.Ran, l.Output)
	case err == nil && l.Error != "":
		t.failure = l.Error
	case err == nil && l.Done:
		t.done = true
		t.s.CloseInput() // the turn has its result: the agent may go
	case err == nil && l.Say != "":
		t.say(l.Say + "\n")
	default:
		t.say(string(data))
	}
}

func (t *turn) tool(command, output string) {
	id := t.s.NewID()
	t.s.Emit(agui.ToolCallStart{ToolCallID: id, ToolCallName: "run"})
	arguments, _ := json.Marshal(map[string]string{"command": command})
	t.s.Emit(agui.ToolCallArgs{ToolCallID: id, Delta: string(arguments)})
	t.s.Emit(agui.ToolCallEnd{ToolCallID: id})
	t.s.Emit(agui.ToolCallResult{MessageID: t.s.NewID(), ToolCallID: id, Content: output, Role: "tool"})
}

func (t *turn) say(text string) {
	id := t.s.NewID()
	t.s.Emit(agui.TextMessageStart{MessageID: id, Role: "assistant"})
	t.s.Emit(agui.TextMessageContent{MessageID: id, Delta: text})
	t.s.Emit(agui.TextMessageEnd{MessageID: id})
}

// end tells how the turn ended: first by what the agent said, which exits with 0
// also when it has failed.
func (t *turn) end(e *harness.Exit) harness.Result {
	ended := fmt.Sprintf("the agent ended with code %d, signal %d (%s)\n%s", e.Code, e.Signal, e.Message, e.Stderr)
	switch {
	case t.canceled:
		return harness.Result{Reason: harness.ReasonCanceled, Message: "the run was canceled"}
	case t.failure == "key":
		return harness.Result{Reason: harness.ReasonBadKey, Message: "the model's service doesn't take the key; make another one"}
	case t.failure == "limit":
		return harness.Result{Reason: harness.ReasonRateLimited, Message: "the model's service wants fewer requests; try again later"}
	case t.failure != "":
		return harness.Result{Reason: harness.ReasonCrashed, Message: "the agent gave up: " + t.failure}
	case t.done && e.Known && e.Code == 0:
		return harness.Result{Reason: harness.ReasonOK}
	case e.Code == 127:
		return harness.Result{Reason: harness.ReasonCLIMissing, Message: ended}
	}
	return harness.Result{Reason: harness.ReasonCrashed, Message: ended}
}
