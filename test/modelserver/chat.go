package modelserver

import (
	"encoding/json"
	"fmt"
)

// chat is OpenAI's chat completions, which many others offer too.
type chat struct{}

func (chat) path() string { return "/chat/completions" }

func (chat) results(body []byte) ([]Result, error) {
	var r struct {
		Messages []struct {
			Role    string          `json:"role"`
			Call    string          `json:"tool_call_id"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("decode chat request: %w", err)
	}
	var found []Result
	for _, m := range r.Messages {
		if m.Role == "tool" {
			found = append(found, Result{Call: m.Call, Text: words(m.Content)})
		}
	}
	return found, nil
}

func (chat) failure(f Failure) any {
	return object{"error": object{"message": f.Message, "type": f.Type, "code": f.Type}}
}

func (chat) whole(id, model, text string, u Usage) any {
	return object{
		"id": id, "object": "chat.completion", "created": epoch, "model": model,
		"choices": []any{object{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": text}}},
		"usage":   chatUsage(u),
	}
}

func (chat) answer(id, model string, u Usage) answer {
	return &chatAnswer{id: id, model: model, used: u}
}

type chatAnswer struct {
	id, model string
	used      Usage
	calls     int
}

func (a *chatAnswer) chunk(delta object, finish any) frame {
	return frame{data: object{
		"id": a.id, "object": "chat.completion.chunk", "created": epoch, "model": a.model,
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
	}}
}

func (a *chatAnswer) text(delta string) []frame {
	return []frame{a.chunk(object{"role": "assistant", "content": delta}, nil)}
}

func (a *chatAnswer) thought(delta string) []frame {
	return []frame{a.chunk(object{"role": "assistant", "reasoning_content": delta}, nil)}
}

func (a *chatAnswer) call(c Call, arguments string) []frame {
	one := func(call object) frame {
		call["index"] = a.calls
		return a.chunk(object{"role": "assistant", "tool_calls": []any{call}}, nil)
	}
	frames := []frame{one(object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}})}
	for _, p := range pieces(arguments) {
		frames = append(frames, one(object{"function": object{"arguments": p}}))
	}
	a.calls++
	return frames
}

func (a *chatAnswer) end() []frame {
	finish := "stop"
	if a.calls > 0 {
		finish = "tool_calls"
	}
	return []frame{
		a.chunk(object{}, finish),
		{data: object{
			"id": a.id, "object": "chat.completion.chunk", "created": epoch, "model": a.model,
			"choices": []any{}, "usage": chatUsage(a.used),
		}},
		{raw: "[DONE]"},
	}
}

func chatUsage(u Usage) object {
	return object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
}
