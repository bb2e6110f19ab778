package main

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// turn is the state of one run. What it emits follows from lines and Exit
// alone; decisions and cancels change only what is written and the result.
type turn struct {
	s      *harness.Session
	config config
	duplex bool // the CLI is fed while it runs

	servers servers // of the Model Context Protocol
	output  *output
	stdin   *stdin
	voices  map[string]*voice // by the CLI's id of the call that started the subagent; "" is the agent
	order   []*voice          // in the order in which they were first heard
	calls   *calls
	gate    *gate

	cut      int64    // bytes of an output that ends in the middle of a message; 0: it doesn't
	session  string   // the CLI's id of the conversation
	agents   int      // subagents that work in the background
	result   *verdict // of the last result line
	subtype  string   // likewise
	failed   *harness.Result
	spent    spent
	canceled bool // by us
}

func newTurn(s *harness.Session, c config) *turn {
	t := &turn{s: s, config: c, voices: map[string]*voice{}}
	t.duplex = needsGate(s.Start().Policy) || !isNull(s.Start().Schema)
	t.servers = serversOf(s.Start().MCP)
	t.output = &output{s: s}
	t.stdin = &stdin{s: s, duplex: t.duplex}
	t.calls = &calls{s: s, byID: map[string]*call{}}
	t.gate = &gate{s: s, stdin: t.stdin, verdicts: map[asked]*harness.Decision{}}
	t.gate.on = needsGate(s.Start().Policy)
	return t
}

// line reads one line of the CLI. False: it is no message.
func (t *turn) line(text []byte) bool {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if d, ok := fastDelta(text); ok {
		t.voice(d.parent).delta(d.index, d.kind, d.text)
		return true
	}
	l, ok := parse(text)
	if !ok {
		return false
	}
	switch l.Type {
	case "stream_event":
		t.streamed(l)
	case "assistant":
		t.assistant(l)
	case "user":
		t.user(l)
	case "system":
		t.system(l, text)
	case "result":
		t.ended(l)
	case "control_request":
		t.gate.request(l.RequestID, &l.Request)
	case "control_cancel_request":
		t.gate.withdraw(l.RequestID)
	case "control_response":
		t.answered(&l.Response)
	case "tool_progress", "keep_alive":
		// signs of life
	default:
		t.raw(text)
	}
	return true
}

func (t *turn) voice(parent string) *voice {
	v := t.voices[parent]
	if v == nil {
		v = &voice{s: t.s, calls: t.calls, parent: parent}
		t.voices[parent] = v
		t.order = append(t.order, v)
	}
	return v
}

// streamed reads a piece of a message.
func (t *turn) streamed(l *line) {
	v := t.voice(l.Parent)
	v.stream(&l.Event)
	switch l.Event.Type {
	case "message_start":
		t.spent.see(v.message, l.Event.Message.Usage)
	case "message_delta":
		t.spent.see(v.message, l.Event.Usage)
	}
}

// assistant reads whole blocks. With partial messages they were streamed before.
func (t *turn) assistant(l *line) {
	v := t.voice(l.Parent)
	t.spent.see(l.Message.ID, l.Message.Usage)
	list, raw := blocks(l.Message.Content)
	for i, b := range list {
		switch b.Type {
		case "text":
			v.whole(l.Message.ID, spoken, b.Text)
		case "thinking":
			v.whole(l.Message.ID, thought, b.Thinking)
		case "tool_use":
			v.close()
			t.calls.whole(b.ID, b.Name, l.Parent, b.Input)
		case "redacted_thinking":
			// for the model's service only
		default:
			t.raw(raw[i])
		}
	}
}

// user reads what the CLI tells the model: results of tools, and texts such as
// the prompt of a subagent, which its call has as an argument.
func (t *turn) user(l *line) {
	list, raw := blocks(l.Message.Content)
	for i, b := range list {
		switch b.Type {
		case "tool_result":
			t.voice(l.Parent).close()
			t.undecided(&b)
			t.gate.forget(b.ToolUseID)
			t.calls.result(b.ToolUseID, resultText(b.Content), b.IsError)
		case "text":
		default:
			t.raw(raw[i])
		}
	}
}

func (t *turn) system(l *line, text []byte) {
	switch l.Subtype {
	case "init":
		t.begun(l)
	case "api_retry":
		t.warn("api_retry", retrying(&l.retry))
	case "background_tasks_changed":
		t.agents = 0
		for _, task := range l.Tasks {
			if task.Type == "local_agent" {
				t.agents++
			}
		}
	case "status", "thinking_tokens", "ui_invalidate", "task_started", "task_progress", "task_updated", "task_notification":
		// nothing that a run's reader needs
	default:
		t.raw(text)
	}
}

// begun reads the CLI's first line, which comes anew with each turn of its own.
func (t *turn) begun(l *line) {
	if l.Session == "" || l.Session == t.session {
		return
	}
	t.session = l.Session
	event, err := agui.NewCustom(sessionIDEvent, map[string]string{"sessionId": t.session})
	if err != nil {
		panic(err) // a string always encodes
	}
	t.s.Emit(event)
	if text := untested(l.Version); text != "" {
		t.warn("cli_untested", text)
	}
	if text := unguarded(l.Version); text != "" {
		t.warn("cli_trusts_workspace", text)
	}
	if text := t.otherMode(l.Mode); text != "" {
		t.warn("other_permission_mode", text)
	}
	t.unconnected(l.Servers)
}

// sessionIDEvent is the CUSTOM event that tells the agent's own session.
const sessionIDEvent = "claude-code.session-id"

// raw hands on what has no translation, as it came.
func (t *turn) raw(event json.RawMessage) {
	t.s.Emit(agui.Raw{Event: bytes.Clone(event), Source: harnessType})
}

func (t *turn) warn(code, text string) { t.s.Emit(agui.NewWarning(code, text)) }

// closeAll ends what is open. Calls without a result were interrupted.
func (t *turn) closeAll() {
	for _, v := range t.order {
		v.end()
	}
	t.calls.interrupt()
}

// cancel stops the CLI in its own way, where it listens; the host's signal does
// the same.
func (t *turn) cancel() {
	if t.canceled {
		return
	}
	t.canceled = true
	if t.result == nil && t.stdin.prompted {
		// Before the denials: with those alone the CLI would ask its model again.
		t.stdin.interrupt()
		t.gate.close()
		return
	}
	t.gate.close()
	t.stdin.close()
}
