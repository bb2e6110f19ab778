package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// sessionIDEvent is the CUSTOM event that tells the agent's own session.
const sessionIDEvent = "acp.session-id"

// turn is the state of one run. What it emits follows from lines and Exit
// alone; decisions and cancels change only what is written and the result.
type turn struct {
	s      *harness.Session
	config config

	conn        *connection
	lines       *lines
	speech      *speech
	tools       *tools
	permissions *permissions

	agent     agentInfo
	session   string // the agent's id of the conversation
	loading   bool   // updates are the past, replayed
	without   bool   // servers were left out, and that was told
	heard     bool   // the agent printed at least one message
	cut       int64  // bytes of an output that ends in the middle of a message; 0: it doesn't
	prompting bool   // the prompt was sent and isn't answered
	canceled  bool   // by us
	usage     harness.Usage
	cost      float64
	result    *harness.Result // nil until the end is known
}

func newTurn(s *harness.Session, c config) *turn {
	t := &turn{s: s, config: c}
	t.conn = &connection{s: s, pending: map[string]func(answer){}}
	t.lines = &lines{s: s}
	t.speech = &speech{s: s}
	t.tools = &tools{s: s, speech: t.speech, byID: map[string]*tool{}}
	t.permissions = &permissions{s: s, conn: t.conn, tools: t.tools}
	return t
}

// begin starts the agent and greets it.
func (t *turn) begin() {
	start := t.s.Start()
	if len(start.Schema) > 0 {
		t.s.Provision(harness.Provision{Warnings: []harness.Warning{{
			Code: "schema_unsupported", Text: "the Agent Client Protocol has no structured output; the schema is ignored",
		}}})
	}
	program := t.config.Command[0]
	t.s.Launch(harness.Launch{
		Argv:     t.config.Command,
		Env:      t.config.Env,
		Dir:      start.Workspace.Root,
		Stdin:    harness.StdinDuplex,
		Programs: []harness.Program{{Name: program, Install: installHint(program)}},
	})
	t.initialize()
}

func installHint(program string) string {
	return "install " + program + " where the agent runs, or give its full path in the harness's command"
}

// line reads one line of the agent.
func (t *turn) line(text []byte) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	messages, ok := decodeMessages(text)
	if !ok {
		t.lines.noise(text)
		return
	}
	for _, m := range messages {
		switch {
		case m.Method != "" && !isNull(m.ID):
			t.request(m)
		case m.Method != "":
			t.notification(m)
		case !isNull(m.ID):
			t.conn.settle(m)
		case isNull(m.Error):
			t.lines.noise(text)
			continue
		default: // the agent couldn't read what we sent
			t.warn("agent_error", "the agent reports an error: "+parseError(m.Error).Error())
		}
		t.heard = true
	}
}

// request serves the agent. It has a file system and a terminal of its own.
func (t *turn) request(m message) {
	if m.Method == "session/request_permission" {
		t.permissions.request(m)
		return
	}
	t.conn.refuse(m.ID, m.Method)
}

func (t *turn) notification(m message) {
	switch {
	case m.Method == "session/update" && !t.loading:
		t.update(m.Params)
	case m.Method == "$/cancel_request":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &p) // one that can't be read names no request
		t.permissions.withdraw(p.ID)
	}
}

func (t *turn) warn(code, text string) { t.s.Emit(agui.NewWarning(code, text)) }

// finish records how the turn ended, closes what is open and lets the agent go.
// The agent stays alive otherwise: it waits for the next prompt.
func (t *turn) finish(r harness.Result) {
	t.speech.close()
	t.tools.interrupt()
	t.permissions.end()
	t.prompting = false
	if t.result == nil {
		t.result = &r
	}
	t.conn.close()
}

func (t *turn) fail(reason harness.Reason, message string) {
	t.finish(harness.Result{Reason: reason, Message: strings.TrimSpace(message)})
}

// cancel stops the agent in its own way; the answer to the prompt then ends the
// turn. Before the prompt there is nothing to stop but the agent itself.
func (t *turn) cancel() {
	if t.result != nil || t.canceled {
		return
	}
	t.canceled = true
	if !t.prompting {
		t.conn.close()
		return
	}
	t.conn.notify("session/cancel", map[string]string{"sessionId": t.session})
	t.permissions.close()
}
