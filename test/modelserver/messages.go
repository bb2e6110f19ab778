package modelserver

import (
	"encoding/json"
	"fmt"
)

// messages is Anthropic's messages API.
type messages struct{}

func (messages) path() string { return "/messages" }

func (messages) results(body []byte) ([]Result, error) {
	var r struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("decode messages request: %w", err)
	}
	var found []Result
	for _, m := range r.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			Call    string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // content may be a text, which has no results
		for _, b := range blocks {
			if b.Type == "tool_result" {
				found = append(found, Result{Call: b.Call, Text: words(b.Content)})
			}
		}
	}
	return found, nil
}

func (messages) failure(f Failure) any {
	return object{"type": "error", "error": object{"type": f.Type, "message": f.Message}}
}

func (messages) whole(id, model, text string, u Usage) any {
	m := begun(id, model, u)
	m["content"], m["stop_reason"] = []any{object{"type": "text", "text": text}}, "end_turn"
	m["usage"] = object{"input_tokens": u.Input, "output_tokens": u.Output}
	return m
}

func (messages) answer(id, model string, u Usage) answer {
	return &messagesAnswer{id: id, model: model, used: u}
}

type messagesAnswer struct {
	id, model string
	used      Usage
	blocks    int    // that were opened
	open      string // type of the block that is open; empty: none
	calls     int
}

func begun(id, model string, u Usage) object {
	return object{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": u.Input, "output_tokens": 1},
	}
}

func event(typ string, members object) frame {
	members["type"] = typ
	return frame{event: typ, data: members}
}

// in opens a block of a type, unless it is open, after what goes before.
func (a *messagesAnswer) in(typ string, block object) []frame {
	if a.open == typ && typ != "tool_use" {
		return nil
	}
	frames := a.closed()
	if a.blocks == 0 {
		frames = append(frames, event("message_start", object{"message": begun(a.id, a.model, a.used)}))
	}
	block["type"] = typ
	frames = append(frames, event("content_block_start", object{"index": a.blocks, "content_block": block}))
	a.blocks++
	a.open = typ
	return frames
}

func (a *messagesAnswer) closed() []frame {
	if a.open == "" {
		return nil
	}
	a.open = ""
	return []frame{event("content_block_stop", object{"index": a.blocks - 1})}
}

func (a *messagesAnswer) delta(typ, member, text string) frame {
	return event("content_block_delta", object{"index": a.blocks - 1, "delta": object{"type": typ, member: text}})
}

func (a *messagesAnswer) text(delta string) []frame {
	return append(a.in("text", object{"text": ""}), a.delta("text_delta", "text", delta))
}

func (a *messagesAnswer) thought(delta string) []frame {
	return append(a.in("thinking", object{"thinking": "", "signature": ""}), a.delta("thinking_delta", "thinking", delta))
}

func (a *messagesAnswer) call(c Call, arguments string) []frame {
	frames := a.in("tool_use", object{"id": c.ID, "name": c.Name, "input": object{}})
	for _, p := range pieces(arguments) {
		frames = append(frames, a.delta("input_json_delta", "partial_json", p))
	}
	a.calls++
	return frames
}

func (a *messagesAnswer) end() []frame {
	frames := a.closed()
	if a.blocks == 0 {
		frames = append(frames, event("message_start", object{"message": begun(a.id, a.model, a.used)}))
	}
	stop := "end_turn"
	if a.calls > 0 {
		stop = "tool_use"
	}
	return append(frames,
		event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": a.used.Output}}),
		event("message_stop", object{}))
}
