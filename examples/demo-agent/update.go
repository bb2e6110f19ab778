package main

// notification is the payload of session/update.
type notification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// text is a content block.
type text struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

// chunk is a piece of a message: of the user's (replay only), the agent's, or
// of its thoughts.
type chunk struct {
	Kind    string `json:"sessionUpdate"`
	Content text   `json:"content"`
}

// The kinds of chunk.
const (
	chunkUser    = "user_message_chunk"
	chunkMessage = "agent_message_chunk"
	chunkThought = "agent_thought_chunk"
)

// toolCall announces a tool call (`tool_call`), changes it (`tool_call_update`)
// or, without Update, describes it in a permission request. What is empty stays
// as it was.
type toolCall struct {
	Update    string        `json:"sessionUpdate,omitempty"`
	ID        string        `json:"toolCallId"`
	Title     string        `json:"title,omitempty"`
	Kind      string        `json:"kind,omitempty"`   // edit, read, execute
	Status    string        `json:"status,omitempty"` // pending, in_progress, completed, failed
	Content   []toolContent `json:"content,omitempty"`
	Locations []location    `json:"locations,omitempty"`
	RawInput  any           `json:"rawInput,omitempty"`
	RawOutput any           `json:"rawOutput,omitempty"`
}

type location struct {
	Path string `json:"path"`
}

// toolContent is either output (Type "content") or an edit (Type "diff").
type toolContent struct {
	Type    string  `json:"type"`
	Content *text   `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	OldText *string `json:"oldText,omitempty"` // absent for a new file
	NewText *string `json:"newText,omitempty"`
}

func output(s string) []toolContent {
	return []toolContent{{Type: "content", Content: &text{"text", s}}}
}

type planUpdate struct {
	Kind    string      `json:"sessionUpdate"` // "plan"
	Entries []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"` // pending, in_progress, completed
}

// usageUpdate says how full the context is, in tokens.
type usageUpdate struct {
	Kind string `json:"sessionUpdate"` // "usage_update"
	Used int    `json:"used"`
	Size int    `json:"size"`
}

// usage is what one turn cost, in tokens.
type usage struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
	Total  int `json:"totalTokens"`
}

// announce tells the client once what it may offer its user. Real agents do so
// after the answer to session/new, since before it no one knows the session's id.
func (a *agent) announce(s *session) {
	s.announced.Do(func() {
		a.conn.notify("session/update", notification{s.id, map[string]any{
			"sessionUpdate":     "available_commands_update",
			"availableCommands": []map[string]any{{"name": "help", "description": "List the instructions"}},
		}})
	})
}
