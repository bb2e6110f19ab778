package agui

import "encoding/json"

// RunStarted is a run's first event. Only the host makes it.
type RunStarted struct {
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
}

// RunFinished ends a run that completed. Only the host makes it.
type RunFinished struct {
	ThreadID string          `json:"threadId"`
	RunID    string          `json:"runId"`
	Result   json.RawMessage `json:"result,omitempty"`
}

// RunError ends a run that failed or was canceled. Only the host makes it.
type RunError struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"` // the reason, see harness.Reason
}

// TextMessageStart opens a message of the agent.
type TextMessageStart struct {
	MessageID string `json:"messageId"`
	Role      string `json:"role"` // "assistant"
	// ParentToolCallID is the call by which a subagent was started that says
	// this; empty: the agent itself says it. Likewise in other START events.
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// TextMessageContent is a piece of a message.
type TextMessageContent struct {
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
}

// TextMessageEnd closes a message.
type TextMessageEnd struct {
	MessageID string `json:"messageId"`
}

// ReasoningStart opens a stretch of thinking.
type ReasoningStart struct {
	MessageID        string `json:"messageId"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// ReasoningMessageStart opens a message of thinking.
type ReasoningMessageStart struct {
	MessageID string `json:"messageId"`
	Role      string `json:"role"` // "reasoning"

	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// ReasoningMessageContent is a piece of thinking.
type ReasoningMessageContent struct {
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
}

// ReasoningMessageEnd closes a message of thinking.
type ReasoningMessageEnd struct {
	MessageID string `json:"messageId"`
}

// ReasoningEnd closes a stretch of thinking.
type ReasoningEnd struct {
	MessageID string `json:"messageId"`
}

// ToolCallStart opens a tool call.
type ToolCallStart struct {
	ToolCallID       string `json:"toolCallId"`
	ToolCallName     string `json:"toolCallName"`
	ParentMessageID  string `json:"parentMessageId,omitempty"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// ToolCallArgs is a piece of the arguments; all pieces joined are one JSON
// value.
type ToolCallArgs struct {
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

// ToolCallEnd says that the arguments are complete.
type ToolCallEnd struct {
	ToolCallID string `json:"toolCallId"`
}

// ToolCallResult is what the tool answered.
type ToolCallResult struct {
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId"`
	Content    string `json:"content"`
	Role       string `json:"role"` // "tool"
	Error      string `json:"error,omitempty"`
}

// Custom is an event of ours; the names are listed in the documentation.
type Custom struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Raw is a vendor's line that has no translation.
type Raw struct {
	Event  json.RawMessage `json:"event"`
	Source string          `json:"source,omitempty"` // type of the harness
}

// EventType implements Event.
func (RunStarted) EventType() string { return TypeRunStarted }

// EventType implements Event.
func (RunFinished) EventType() string { return TypeRunFinished }

// EventType implements Event.
func (RunError) EventType() string { return TypeRunError }

// EventType implements Event.
func (TextMessageStart) EventType() string { return TypeTextMessageStart }

// EventType implements Event.
func (TextMessageContent) EventType() string { return TypeTextMessageContent }

// EventType implements Event.
func (TextMessageEnd) EventType() string { return TypeTextMessageEnd }

// EventType implements Event.
func (ReasoningStart) EventType() string { return TypeReasoningStart }

// EventType implements Event.
func (ReasoningMessageStart) EventType() string { return TypeReasoningMessageStart }

// EventType implements Event.
func (ReasoningMessageContent) EventType() string { return TypeReasoningMessageContent }

// EventType implements Event.
func (ReasoningMessageEnd) EventType() string { return TypeReasoningMessageEnd }

// EventType implements Event.
func (ReasoningEnd) EventType() string { return TypeReasoningEnd }

// EventType implements Event.
func (ToolCallStart) EventType() string { return TypeToolCallStart }

// EventType implements Event.
func (ToolCallArgs) EventType() string { return TypeToolCallArgs }

// EventType implements Event.
func (ToolCallEnd) EventType() string { return TypeToolCallEnd }

// EventType implements Event.
func (ToolCallResult) EventType() string { return TypeToolCallResult }

// EventType implements Event.
func (Custom) EventType() string { return TypeCustom }

// EventType implements Event.
func (Raw) EventType() string { return TypeRaw }
