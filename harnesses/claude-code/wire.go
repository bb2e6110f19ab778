package main

import (
	"bytes"
	"encoding/json"
	"errors"
)

// line is one line of stream-json: what any type of line may carry. A member
// that has another shape than here counts as absent.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"` // a subagent's: the call that started it

	Event   streamEvent `json:"event"`   // stream_event
	Message message     `json:"message"` // assistant, user

	Version string `json:"claude_code_version"` // system/init
	Mode    string `json:"permissionMode"`      // system/init
	Tasks   []task `json:"tasks"`               // system/background_tasks_changed

	Servers []serverState `json:"mcp_servers"` // system/init
	retry                 // system/api_retry
	verdict               // result

	RequestID string   `json:"request_id"` // control_request, control_cancel_request
	Request   request  `json:"request"`    // control_request
	Response  response `json:"response"`   // control_response
}

type message struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"` // a list of blocks, or a text
	Usage   apiUsage        `json:"usage"`   // so far
}

// block is a piece of a message.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"` // tool_use
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`

	ToolUseID string          `json:"tool_use_id"` // tool_result
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// streamEvent is an event of the model API, as it came.
type streamEvent struct {
	Type    string `json:"type"`
	Message struct {
		ID    string   `json:"id"`
		Usage apiUsage `json:"usage"`
	} `json:"message"`
	Usage apiUsage `json:"usage"` // message_delta: of the message so far
	Index int      `json:"index"`
	Block block    `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
	} `json:"delta"`
}

type task struct {
	Type string `json:"task_type"`
}

type retry struct {
	Attempt    int     `json:"attempt"`
	MaxRetries int     `json:"max_retries"`
	DelayMS    float64 `json:"retry_delay_ms"`
	Status     int     `json:"error_status"`
	Error      string  `json:"error"`
}

// verdict is what a result line says.
type verdict struct {
	IsError  bool            `json:"is_error"`
	Terminal string          `json:"terminal_reason"`
	Stop     string          `json:"stop_reason"`
	Status   int             `json:"api_error_status"`
	Text     string          `json:"result"`
	Errors   []string        `json:"errors"`
	Output   json.RawMessage `json:"structured_output"`
	Cost     float64         `json:"total_cost_usd"` // of the session, so far
	Usage    apiUsage        `json:"usage"`          // of this turn, without subagents
	Since    modelUsages     `json:"model_usage_since_last_result"`
}

// request is what the CLI asks us.
type request struct {
	Subtype string          `json:"subtype"`
	Input   json.RawMessage `json:"input"` // hook_callback: hookInput; can_use_tool: the tool's
	Tool    string          `json:"tool_name"`
	ToolUse string          `json:"tool_use_id"`
}

// response answers a request of ours.
type response struct {
	Subtype   string `json:"subtype"` // "success" or "error"
	RequestID string `json:"request_id"`
	Error     string `json:"error"`
}

// parse reads one line. False: it is no message.
func parse(text []byte) (*line, bool) {
	l := &line{}
	if text[0] != '{' || !lenient(text, l) || l.Type == "" {
		return nil, false
	}
	return l, true
}

// lenient decodes what fits and leaves the rest. False: it is no JSON.
func lenient(data []byte, into any) bool {
	err := json.Unmarshal(data, into)
	var shape *json.UnmarshalTypeError
	return err == nil || errors.As(err, &shape)
}

// isNull tells of absent members and of those that are there but null.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return "" // it isn't there
	}
	return out.String()
}

// blocks are the pieces of a message's content, with their JSON.
func blocks(content json.RawMessage) ([]block, []json.RawMessage) {
	var raw []json.RawMessage
	if isNull(content) || json.Unmarshal(content, &raw) != nil {
		return nil, nil // a text, such as a prompt that is echoed
	}
	out := make([]block, len(raw))
	for i, r := range raw {
		lenient(r, &out[i])
	}
	return out, raw
}
