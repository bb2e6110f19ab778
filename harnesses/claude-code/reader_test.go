package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// reading is what a capture says, read a second time: by key, in plain JSON,
// from whole messages only, sharing nothing with the harness, so that both can't
// be wrong alike.
type reading struct {
	text, thought string
	session       string
	calls         []reread
	result        map[string]any // the last
	output        any
	input, cost   float64

	unpaid map[any]float64 // input of messages that no result has followed, by id
}

// reread is a tool call.
type reread struct {
	id, name, parent string
	args             any
	answered, failed bool
}

func readAgain(t *testing.T, data []byte) *reading {
	t.Helper()
	r := &reading{unpaid: map[any]float64{}}
	messages := map[any]bool{} // that came whole
	var partial, partialThought string
	var streamed any // id of the message in pieces
	flush := func() {
		if !messages[streamed] {
			r.text += partial
			r.thought += partialThought
		}
		partial, partialThought = "", ""
	}
	for line := range bytes.Lines(data) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		switch m["type"] {
		case "system":
			if m["subtype"] == "init" && r.session == "" {
				r.session, _ = m["session_id"].(string)
			}
		case "stream_event":
			event := at(m, "event")
			if event["type"] == "message_start" {
				flush()
				streamed = at(event, "message")["id"]
				r.unpaid[streamed], _ = at(event, "message", "usage")["input_tokens"].(float64)
			}
			words, _ := at(event, "delta")["text"].(string)
			partial += words
			words, _ = at(event, "delta")["thinking"].(string)
			partialThought += words
		case "assistant":
			messages[at(m, "message")["id"]] = true
			r.unpaid[at(m, "message")["id"]], _ = at(m, "message", "usage")["input_tokens"].(float64)
			r.blocks(m)
		case "user":
			r.blocks(m)
		case "result":
			r.result = m
			r.output = m["structured_output"]
			r.spend(m)
			clear(r.unpaid)
		}
	}
	flush()
	for _, input := range r.unpaid {
		r.input += input
	}
	return r
}

func (r *reading) blocks(m map[string]any) {
	parent, _ := m["parent_tool_use_id"].(string)
	list, _ := at(m, "message")["content"].([]any)
	for _, b := range list {
		b, _ := b.(map[string]any)
		switch b["type"] {
		case "text":
			if m["type"] == "assistant" {
				r.text += b["text"].(string)
			}
		case "thinking":
			r.thought += b["thinking"].(string)
		case "tool_use":
			r.calls = append(r.calls, reread{id: b["id"].(string), name: b["name"].(string), parent: parent, args: b["input"]})
		case "tool_result":
			for i := range r.calls {
				if c := &r.calls[i]; c.id == b["tool_use_id"] {
					c.answered, c.failed = true, b["is_error"] == true
				}
			}
		}
	}
}

func (r *reading) spend(m map[string]any) {
	models, ok := m["model_usage_since_last_result"].(map[string]any)
	if !ok {
		input, _ := at(m, "usage")["input_tokens"].(float64)
		r.input += input
		r.cost, _ = m["total_cost_usd"].(float64)
	}
	for _, u := range models {
		u, _ := u.(map[string]any)
		r.input += u["inputTokens"].(float64)
		r.cost += u["costUSD"].(float64)
	}
}

// at follows keys through objects; what isn't there is an empty one.
func at(m map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		m, _ = m[key].(map[string]any)
	}
	return m
}
