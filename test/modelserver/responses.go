package modelserver

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// responses is OpenAI's responses API.
type responses struct{}

func (responses) path() string { return "/responses" }

func (responses) results(body []byte) ([]Result, error) {
	var r struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("decode responses request: %w", err)
	}
	var items []struct {
		Type   string          `json:"type"`
		Call   string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
	}
	_ = json.Unmarshal(r.Input, &items) // input may be a text, which has no results
	var found []Result
	for _, i := range items {
		if i.Type == "function_call_output" || i.Type == "custom_tool_call_output" {
			found = append(found, Result{Call: i.Call, Text: words(i.Output)})
		}
	}
	return found, nil
}

func (responses) failure(f Failure) any { return chat{}.failure(f) }

func (responses) whole(id, model, text string, u Usage) any {
	a := &responsesAnswer{id: id, model: model}
	a.item(message(id, text))
	return a.response("completed", u)
}

func (responses) answer(id, model string, u Usage) answer {
	return &responsesAnswer{id: id, model: model, used: u}
}

type responsesAnswer struct {
	id, model string
	used      Usage
	said      string // text of the message that is open
	output    []any
	events    int
}

func (a *responsesAnswer) event(typ string, members object) frame {
	members["type"], members["sequence_number"] = typ, a.events
	a.events++
	return frame{event: typ, data: members}
}

func (a *responsesAnswer) text(delta string) []frame {
	var frames []frame
	if a.said == "" {
		frames = append(frames, a.event("response.output_item.added", object{"output_index": len(a.output), "item": message(a.id, "")}))
	}
	a.said += delta
	return append(frames, a.event("response.output_text.delta", object{
		"item_id": a.id, "output_index": len(a.output), "content_index": 0, "delta": delta,
	}))
}

func (a *responsesAnswer) thought(delta string) []frame {
	frames := a.closed()
	id := "rs_" + strconv.Itoa(len(a.output))
	frames = append(frames, a.event("response.reasoning_summary_text.delta", object{
		"item_id": id, "output_index": len(a.output), "summary_index": 0, "delta": delta,
	}))
	return append(frames, a.item(object{
		"type": "reasoning", "id": id, "summary": []any{object{"type": "summary_text", "text": delta}},
	})...)
}

// closed ends the message that is open.
func (a *responsesAnswer) closed() []frame {
	if a.said == "" {
		return nil
	}
	said := a.said
	a.said = ""
	return a.item(message(a.id, said))
}

func (a *responsesAnswer) item(item object) []frame {
	a.output = append(a.output, item)
	return []frame{a.event("response.output_item.done", object{"output_index": len(a.output) - 1, "item": item})}
}

func (a *responsesAnswer) call(c Call, arguments string) []frame {
	frames := a.closed()
	at, id := len(a.output), "fc_"+strconv.Itoa(len(a.output))
	item := func(arguments, status string) object {
		return object{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": arguments, "status": status}
	}
	frames = append(frames, a.event("response.output_item.added", object{"output_index": at, "item": item("", "in_progress")}))
	for _, p := range pieces(arguments) {
		frames = append(frames, a.event("response.function_call_arguments.delta", object{"item_id": id, "output_index": at, "delta": p}))
	}
	frames = append(frames, a.event("response.function_call_arguments.done", object{"item_id": id, "output_index": at, "arguments": arguments}))
	return append(frames, a.item(item(arguments, "completed"))...)
}

func (a *responsesAnswer) end() []frame {
	return append(a.closed(), a.event("response.completed", object{"response": a.response("completed", a.used)}))
}

func (a *responsesAnswer) response(status string, u Usage) object {
	return object{
		"id": a.id, "object": "response", "created_at": epoch, "model": a.model, "status": status, "output": a.output,
		"usage": object{
			"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
		},
	}
}

func message(id, text string) object {
	return object{
		"type": "message", "id": id, "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}},
	}
}
