package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const (
	modes   = `"modes":{"currentModeId":"auto","availableModes":[{"id":"auto"},{"id":"ask"}]}`
	models  = `"models":{"availableModels":[{"modelId":"small"},{"modelId":"big"}]}`
	options = `"configOptions":[{"id":"m1","category":"model","options":[{"value":"small"},{"group":"g","options":[{"value":"big"}]}]},` +
		`{"id":"mode","options":[{"value":"auto"},{"value":"ask"}]}]`
)

func TestHandshake(t *testing.T) {
	offering := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"id":"key","name":"Key"},{"id":"web","name":"Web"}]}}`
	session := func(members string) string {
		return `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1",` + members + `}}`
	}
	fine := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	refuses := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"Invalid params"}}`
	}
	for _, c := range []struct {
		name    string
		config  config
		start   harness.Start
		lines   []string
		methods string
		reason  harness.Reason
		mention string
	}{
		{
			name: "an agent that needs nothing", lines: []string{hello, opened, endTurn},
			methods: "initialize session/new session/prompt EOF", reason: harness.ReasonOK,
		},
		{
			name: "an auth method that is offered", config: config{AuthMethod: "web"},
			lines:   []string{offering, fine("2"), `{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s1"}}`, `{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`},
			methods: "initialize authenticate session/new session/prompt EOF", reason: harness.ReasonOK,
		},
		{
			name: "an auth method that isn't offered", config: config{AuthMethod: "oauth"}, lines: []string{offering},
			methods: "initialize EOF", reason: harness.ReasonBadKey, mention: `no auth_method "oauth"; it offers key, web`,
		},
		{
			name: "an auth method where none is offered", config: config{AuthMethod: "oauth"}, lines: []string{hello},
			methods: "initialize EOF", reason: harness.ReasonBadKey, mention: "it offers none",
		},
		{
			name: "an auth method that fails", config: config{AuthMethod: "key"}, lines: []string{offering, refuses("2")},
			methods: "initialize authenticate EOF", reason: harness.ReasonBadKey, mention: `refused auth_method "key": Invalid params (code -32602)`,
		},
		{
			name: "a mode from the list of modes", config: config{Mode: "ask"}, lines: []string{hello, session(modes), fine("3")},
			methods: "initialize session/new session/set_mode session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "a mode from the options", config: config{Mode: "ask"}, lines: []string{hello, session(options), fine("3")},
			methods: "initialize session/new session/set_config_option session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "a mode that isn't offered", config: config{Mode: "yolo"}, lines: []string{hello, session(modes)},
			methods: "initialize session/new EOF", reason: harness.ReasonCrashed, mention: `no mode "yolo"; it offers auto, ask`,
		},
		{
			name: "a model from the options", start: harness.Start{Model: "big"}, lines: []string{hello, session(options + "," + models), fine("3")},
			methods: "initialize session/new session/set_config_option session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "a model from the list of models", start: harness.Start{Model: "big"}, lines: []string{hello, session(models), fine("3")},
			methods: "initialize session/new session/set_model session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "a model that isn't listed but known", start: harness.Start{Model: "sonnet"}, lines: []string{hello, session(models), fine("3")},
			methods: "initialize session/new session/set_model session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "a model that the agent refuses", start: harness.Start{Model: "huge"}, lines: []string{hello, session(options), refuses("3")},
			methods: "initialize session/new session/set_config_option EOF", reason: harness.ReasonModelUnknown,
			mention: `refused model "huge": Invalid params (code -32602); it offers small, big`,
		},
		{
			name: "mode and model", config: config{Mode: "ask"}, start: harness.Start{Model: "big"},
			lines:   []string{hello, session(modes + "," + models), fine("3"), fine("4")},
			methods: "initialize session/new session/set_mode session/set_model session/prompt", reason: harness.ReasonCrashed,
		},
		{
			name: "an older protocol", lines: []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":0}}`},
			methods: "initialize EOF", reason: harness.ReasonCLITooOld, mention: "version 0",
		},
		{
			name: "a newer protocol", lines: []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}`},
			methods: "initialize EOF", reason: harness.ReasonCrashed, mention: "version 2",
		},
		{
			name: "an agent that refuses to initialize", lines: []string{refuses("1")},
			methods: "initialize EOF", reason: harness.ReasonCrashed, mention: "answered initialize with an error: Invalid params",
		},
		{
			name: "an agent that wants to be signed in", lines: []string{hello, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}`},
			methods: "initialize session/new EOF", reason: harness.ReasonBadKey, mention: "Authentication required",
		},
		{
			name: "a session without an id", lines: []string{hello, `{"jsonrpc":"2.0","id":2,"result":{}}`},
			methods: "initialize session/new EOF", reason: harness.ReasonCrashed, mention: "without a session id",
		},
		{
			name: "an answer that can't be read", lines: []string{`{"jsonrpc":"2.0","id":1,"result":[1]}`},
			methods: "initialize EOF", reason: harness.ReasonCrashed, mention: "can't be read",
		},
		{
			name: "an agent that answers twice", lines: []string{hello, hello, opened, opened, endTurn, endTurn},
			methods: "initialize session/new session/prompt EOF", reason: harness.ReasonOK,
		},
		{
			name: "ids that come back as strings", lines: []string{strings.Replace(hello, `"id":1`, `"id":"1"`, 1), opened, endTurn},
			methods: "initialize session/new session/prompt EOF", reason: harness.ReasonOK,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.config, c.start, prints(c.lines...))
			if diff := cmp.Diff(c.methods, strings.Join(p.methods(t), " ")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			r := p.result(t)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.mention) {
				t.Errorf("result %q %q, want %q and %q", r.Reason, r.Message, c.reason, c.mention)
			}
		})
	}
}

func TestAModelThatCantBeSetIsAWarning(t *testing.T) {
	p := play(t, config{}, harness.Start{Model: "big"}, prints(hello, opened, endTurn))
	if got := strings.Join(p.events(), "\n"); !strings.Contains(got, "model_not_settable") {
		t.Errorf("no warning in %s", got)
	}
	if p.result(t).Reason != harness.ReasonOK {
		t.Errorf("result %+v, want ok", p.result(t))
	}
}

func TestWhatIsSent(t *testing.T) {
	p := play(t, config{Command: []string{"opencode", "acp"}, Env: map[string]string{"A": "b"}},
		harness.Start{Prompt: "say <hi> & 你", Workspace: harness.Workspace{Root: "/work"}}, prints(hello, opened, endTurn))
	want := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"sandlot","title":"Sandlot","version":"` + version + `"},"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"text":"say <hi> & 你","type":"text"}],"sessionId":"s1"}}`,
		"EOF",
	}
	if diff := cmp.Diff(want, p.written()); diff != "" {
		t.Errorf("stdin (-want +got):\n%s", diff)
	}
	launch := &harness.Launch{
		Argv: []string{"opencode", "acp"}, Env: map[string]string{"A": "b"}, Dir: "/work", Stdin: harness.StdinDuplex,
		Programs: []harness.Program{{Name: "opencode", Install: installHint("opencode")}},
	}
	if diff := cmp.Diff([]*harness.Launch{launch}, sentOf[*harness.Launch](p)); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
}

func TestResume(t *testing.T) {
	capable := func(members string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{` + members + `}}}`
	}
	past := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"the past"}}}}`
	now := strings.ReplaceAll(past, "the past", "now")
	history := []harness.Message{{Role: "user", Text: "remember 42"}, {Role: "assistant", Text: "I will"}}
	const load, resume = `"loadSession":true`, `"sessionCapabilities":{"resume":{}}`
	for _, c := range []struct {
		name    string
		lines   []string
		methods string
		session string
		prompt  string // in the prompt that is sent
		warned  bool
	}{
		{
			name: "an agent that resumes", lines: []string{capable(load + "," + resume), `{"jsonrpc":"2.0","id":2,"result":{}}`, now, endTurn},
			methods: "initialize session/resume session/prompt EOF", session: "old", prompt: `"text":"what was it?"`,
		},
		{
			name: "an agent that loads and replays the past", lines: []string{capable(load), past, past, `{"jsonrpc":"2.0","id":2,"result":null}`, now, endTurn},
			methods: "initialize session/load session/prompt EOF", session: "old", prompt: `"text":"what was it?"`,
		},
		{
			name: "an agent that has forgotten the session",
			lines: []string{
				capable(load), past, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error","data":{"service":"session"}}}`,
				`{"jsonrpc":"2.0","id":3,"result":{"sessionId":"new"}}`, now, `{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`,
			},
			methods: "initialize session/load session/new session/prompt EOF", session: "new", warned: true,
			prompt: `The conversation so far:\n\n[user]\nremember 42\n\n[assistant]\nI will\n\n[user, now]\nwhat was it?`,
		},
		{
			name: "an agent that can't", lines: []string{capable(""), `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"new"}}`, now, endTurn},
			methods: "initialize session/new session/prompt EOF", session: "new", warned: true, prompt: "remember 42",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{Session: "old", Prompt: "what was it?", History: history}, prints(c.lines...))
			if diff := cmp.Diff(c.methods, strings.Join(p.methods(t), " ")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if r := p.result(t); r.Session != c.session || r.Reason != harness.ReasonOK {
				t.Errorf("result %+v, want session %q", r, c.session)
			}
			if got := strings.Join(p.written(), "\n"); !strings.Contains(got, c.prompt) {
				t.Errorf("no %s in\n%s", c.prompt, got)
			}
			events := strings.Join(p.events(), "\n")
			if strings.Contains(events, "the past") || !strings.Contains(events, `"now"`) {
				t.Errorf("replayed updates must stay out and new ones come:\n%s", events)
			}
			if got := strings.Contains(events, "session_not_resumed"); got != c.warned {
				t.Errorf("warned: %v, want %v\n%s", got, c.warned, events)
			}
		})
	}
}

func TestHistoryOfANewSessionGoesIntoThePrompt(t *testing.T) {
	p := play(t, config{}, harness.Start{Prompt: "and now?", History: []harness.Message{{Role: "user", Text: "hi"}}}, prints(hello, opened, endTurn))
	if got := strings.Join(p.written(), "\n"); !strings.Contains(got, `[user]\nhi`) {
		t.Errorf("no history in\n%s", got)
	}
}

func TestASchemaIsAWarning(t *testing.T) {
	p := play(t, config{}, harness.Start{Schema: json.RawMessage(`{}`)}, prints(hello, opened, endTurn))
	if got := sentOf[*harness.Provision](p); len(got) != 1 || got[0].Warnings[0].Code != "schema_unsupported" {
		t.Errorf("provisions %+v, want one warning", got)
	}
}

func TestCommandMustNotBeEmpty(t *testing.T) {
	for _, command := range [][]string{nil, {}, {""}} {
		if _, err := newACP(t.Context(), config{Command: command}, sdk.Host{}); err == nil || !strings.Contains(err.Error(), "name the agent's program") {
			t.Errorf("command %q: error %v", command, err)
		}
	}
}
