package main

import (
	"encoding/json"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// harnessType names us in RAW events.
const harnessType = "acp"

// update is what a session/update carries. Which members are there depends on
// the kind; content is a block in chunks and a list in tool calls.
type update struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	Entries   json.RawMessage `json:"entries"`
	Used      json.RawMessage `json:"used"`
	Cost      json.RawMessage `json:"cost"`
}

func (t *turn) update(params json.RawMessage) {
	var p struct {
		Update json.RawMessage `json:"update"`
	}
	var u update
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Update, &u) != nil {
		t.raw(params)
		return
	}
	switch u.Kind {
	case "agent_message_chunk":
		t.chunk(spoken, u, p.Update)
	case "agent_thought_chunk":
		t.chunk(thought, u, p.Update)
	case "tool_call", "tool_call_update":
		if !t.tools.update(u.Kind == "tool_call", p.Update) {
			t.raw(p.Update)
		}
	case "plan":
		t.plan(u.Entries)
	case "usage_update":
		t.tools.flushArgs(nil)
		t.usageUpdate(u)
	case "user_message_chunk", "available_commands_update", "current_mode_update",
		"session_info_update", "config_option_update":
		// nothing that a run's reader needs
	default:
		t.raw(p.Update)
	}
}

// raw hands on what has no translation, as it came.
func (t *turn) raw(event json.RawMessage) {
	if !isNull(event) {
		t.s.Emit(agui.Raw{Event: event, Source: harnessType})
	}
}

func (t *turn) chunk(kind speechKind, u update, whole json.RawMessage) {
	var block struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(u.Content, &block) != nil || block.Type != "text" || block.Text == nil {
		t.raw(whole)
		return
	}
	if *block.Text != "" {
		t.tools.flushArgs(nil)
		t.speech.say(kind, u.MessageID, *block.Text)
	}
}

func (t *turn) plan(entries json.RawMessage) {
	if isNull(entries) {
		entries = json.RawMessage("[]")
	}
	t.tools.flushArgs(nil)
	t.speech.close()
	event, err := agui.NewCustom(agui.CustomPlan, map[string]json.RawMessage{"entries": entries})
	if err != nil {
		panic(err) // entries were read as JSON
	}
	t.s.Emit(event)
}
