package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestProtocolErrors(t *testing.T) {
	tests := []struct {
		name string
		send string
		code int
	}{
		{"an unknown method", `{"jsonrpc":"2.0","id":"x","method":"session/fork","params":{}}`, codeNoMethod},
		{"a line that isn't JSON", `{"jsonrpc":`, codeParse},
		{"a message that is nothing", `{"jsonrpc":"2.0"}`, codeInvalid},
		{"params of the wrong shape", `{"jsonrpc":"2.0","id":"x","method":"session/new","params":[]}`, codeParams},
		{"a relative folder", `{"jsonrpc":"2.0","id":"x","method":"session/new","params":{"cwd":"tmp"}}`, codeParams},
		{"a missing folder", `{"jsonrpc":"2.0","id":"x","method":"session/new","params":{"cwd":"/no/such"}}`, codeParams},
		{"a prompt to an unknown session", `{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"demo-x"}}`, codeNotFound},
		{"a mode of an unknown session", `{"jsonrpc":"2.0","id":"x","method":"session/set_mode","params":{"sessionId":"demo-x","modeId":"ask"}}`, codeNotFound},
		{"an unknown sign-in", `{"jsonrpc":"2.0","id":"x","method":"authenticate","params":{"methodId":"y"}}`, codeParams},
		{"session/load without a home", `{"jsonrpc":"2.0","id":"x","method":"session/load","params":{"sessionId":"demo-x"}}`, codeNoMethod},
	}
	p := startAgent(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.send(tt.send)
			got := p.until(func(l line) bool { return l.Error != nil })
			if code := got[len(got)-1].Error.Code; len(got) != 1 || code != tt.code {
				t.Errorf("answered %d lines, code %d; want 1 line, code %d", len(got), code, tt.code)
			}
		})
	}
	p.send(`{"jsonrpc":"2.0","method":"_unknown/notification"}`) // gets no answer
	p.send(`{"jsonrpc":"2.0","id":"zz","result":{}}`)            // nobody asked
	p.request("last", "initialize", map[string]any{"protocolVersion": 1})
	if got := p.until(answerTo("last")); len(got) != 1 {
		t.Errorf("unasked messages were answered: %q", got[0].raw)
	}
}

func TestRequiredAuthentication(t *testing.T) {
	p := startAgent(t, "DEMO_AGENT_REQUIRE_AUTH=1")
	p.request("early", "session/new", map[string]any{"cwd": t.TempDir()})
	got := p.until(answerTo("early"))
	if e := got[0].Error; e == nil || e.Code != codeAuthRequired {
		t.Errorf("before authenticate: %s", got[0].raw)
	}
	p.request("auth", "authenticate", map[string]any{"methodId": "demo"})
	if got := p.until(answerTo("auth")); got[0].Error != nil {
		t.Error(got[0].Error)
	}
	p.session(t.TempDir())
}

func TestSessionsAreKeptAndReplayed(t *testing.T) {
	home, cwd := "DEMO_AGENT_HOME="+t.TempDir(), t.TempDir()
	first := startAgent(t, home)
	id := first.session(cwd)
	first.turn(id, "say remember me", "run echo loud")
	if err := first.in.Close(); err != nil {
		t.Fatal(err)
	}
	first.exit()

	second := startAgent(t, home)
	second.request("load", "session/load", map[string]any{"sessionId": id, "cwd": cwd, "mcpServers": []any{}})
	got := second.until(answerTo("load"))
	if e := got[len(got)-1].Error; e != nil {
		t.Fatal(e)
	}
	if user := joined(got, chunkUser); user != "say remember me\nrun echo loud" {
		t.Errorf("the user's part was replayed as %q", user)
	}
	if !strings.HasPrefix(said(got), "remember me\n") {
		t.Errorf("the agent's part was replayed as %q", said(got))
	}
	if n := strings.Count(fmt.Sprint(kinds(got)), "tool_call "); n != 1 {
		t.Errorf("%d tool calls were replayed, want 1: %v", n, kinds(got))
	}
	if _, answer := second.turn(id, "say still here"); answer.Result.StopReason != "end_turn" {
		t.Errorf("a prompt after load: %s", answer.raw)
	}
	for _, id := range []string{"demo-unknown", "../../etc/passwd"} {
		second.request("bad", "session/load", map[string]any{"sessionId": id, "cwd": cwd})
		got := second.until(answerTo("bad"))
		if e := got[len(got)-1].Error; e == nil || e.Code != codeNotFound {
			t.Errorf("load %s: %s", id, got[len(got)-1].raw)
		}
	}
}

func kinds(lines []line) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Params.Update.SessionUpdate)
	}
	return all
}
