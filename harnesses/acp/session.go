package main

import (
	"encoding/json"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// openSession resumes the conversation if there is one and the agent can. An
// agent that only loads replays the past first.
func (t *turn) openSession() {
	old := t.s.Start().Session
	switch {
	case old == "":
		t.newSession()
	case !isNull(t.agent.Capabilities.Session.Resume):
		t.reopen("session/resume", old)
	case t.agent.Capabilities.Load:
		t.reopen("session/load", old)
	default:
		t.warn("session_not_resumed", "the agent can't resume sessions; "+t.instead())
		t.newSession()
	}
}

func (t *turn) sessionParams() object {
	return object{"cwd": t.s.Start().Workspace.Root, "mcpServers": t.servers()}
}

func (t *turn) reopen(method, id string) {
	params := t.sessionParams()
	params["sessionId"] = id
	t.loading = true
	t.conn.call(method, params, func(a answer) {
		t.loading = false
		if a.failed != nil {
			// Agents have no common code for "unknown session". If the cause is
			// another one, the new session meets it again and reports it.
			t.warn("session_not_resumed", "the agent doesn't take up session "+id+" ("+a.failed.Error()+
				"); "+t.instead())
			t.newSession()
			return
		}
		t.opened(a.result, id, nil)
	})
}

// instead says what becomes of the conversation.
func (t *turn) instead() string {
	if len(t.s.Start().History) > 0 {
		return "a new one gets the conversation so far in its prompt"
	}
	return "a new one begins without the conversation so far"
}

func (t *turn) newSession() {
	t.conn.call("session/new", t.sessionParams(), func(a answer) {
		if a.failed != nil {
			t.refused("session/new", a.failed)
			return
		}
		t.opened(a.result, "", t.s.Start().History)
	})
}

// opened goes on with a session: mode, model, prompt.
func (t *turn) opened(result json.RawMessage, id string, history []harness.Message) {
	var got struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(result, &got) // a loaded session needn't answer anything
	t.session = id
	if got.SessionID != "" {
		t.session = got.SessionID
	}
	if t.session == "" {
		t.fail(harness.ReasonCrashed, "the agent answered session/new without a session id: "+excerpt(result, noiseExcerpt))
		return
	}
	event, err := agui.NewCustom(sessionIDEvent, map[string]string{"sessionId": t.session})
	if err != nil {
		panic(err) // a string always encodes
	}
	t.s.Emit(event)
	offers := parseOffers(result)
	t.setMode(offers, func() {
		t.setModel(offers, func() { t.prompt(history) })
	})
}

func (t *turn) prompt(history []harness.Message) {
	text := harness.WithHistory(t.s.Start().Prompt, history)
	t.prompting = true
	t.conn.call("session/prompt", object{
		"sessionId": t.session,
		"prompt":    []any{object{"type": "text", "text": text}},
	}, t.prompted)
}
