package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// choose answers a permission request by the kind of an option, as clients must.
func (p *peer) choose(request line, kind string) {
	p.t.Helper()
	outcome := map[string]any{"outcome": "cancelled"}
	for _, o := range request.Params.Options {
		if o.Kind == kind {
			outcome = map[string]any{"outcome": "selected", "optionId": o.ID}
		}
	}
	p.send(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": map[string]any{"outcome": outcome}})
}

func TestPermission(t *testing.T) {
	tests := []struct {
		name    string
		mode    string
		lines   []string
		answers []string // kinds, one for each request that comes
		files   []string // that exist afterwards
		said    string
		reason  string
	}{
		{"a yes lets it run", "", []string{"ask run touch a"}, []string{"allow_once"}, []string{"a"}, "`touch a` ended with exit code 0\n", "end_turn"},
		{"a no is said and the turn goes on", "", []string{"ask run touch a", "say next"}, []string{"reject_once"}, nil, "Not done, since permission was denied: touch a\nnext\n", "end_turn"},
		{"an edit is asked for too", "", []string{"ask write a: x"}, []string{"allow_once"}, []string{"a"}, "", "end_turn"},
		{"an edit may be refused", "", []string{"ask append a: x"}, []string{"reject_once"}, nil, "Not done, since permission was denied: Write a\n", "end_turn"},
		{"always covers all edits", "", []string{"ask write a: x", "ask write b: x"}, []string{"allow_always"}, []string{"a", "b"}, "", "end_turn"},
		{"always covers one command only", "", []string{"ask run :", "ask run :", "ask run exit"}, []string{"allow_always", "allow_once"}, nil, "`:` ended with exit code 0\n`:` ended with exit code 0\n`exit` ended with exit code 0\n", "end_turn"},
		{"never is remembered", "", []string{"ask write a: x", "ask write b: x"}, []string{"reject_always"}, nil, "Not done, since permission was denied: Write a\nNot done, since permission was denied: Write b\n", "end_turn"},
		{"a cancelled request ends the turn", "", []string{"ask run touch a", "say next"}, []string{"cancelled"}, nil, "", "cancelled"},
		{"mode ask asks for everything", "ask", []string{"run touch a", "write b: x"}, []string{"allow_once", "allow_once"}, []string{"a", "b"}, "`touch a` ended with exit code 0\n", "end_turn"},
		{"mode auto asks for nothing", "auto", []string{"ask run touch a"}, nil, []string{"a"}, "`touch a` ended with exit code 0\n", "end_turn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, cwd := startAgent(t), t.TempDir()
			id := p.session(cwd)
			if tt.mode != "" {
				p.request("mode", "session/set_mode", map[string]any{"sessionId": id, "modeId": tt.mode})
				p.until(answerTo("mode"))
			}
			p.prompt(id, tt.lines...)
			var all []line
			for _, kind := range tt.answers {
				got := p.until(asksPermission)
				all = append(all, got...)
				p.choose(got[len(got)-1], kind)
			}
			got := p.until(answerTo("prompt"))
			all = append(all, got...)
			if reason := got[len(got)-1].Result.StopReason; said(all) != tt.said || reason != tt.reason {
				t.Errorf("said %q, %s; want %q, %s", said(all), reason, tt.said, tt.reason)
			}
			if asked := count(all, asksPermission); asked != len(tt.answers) {
				t.Errorf("asked %d times, want %d", asked, len(tt.answers))
			}
			for _, name := range []string{"a", "b"} {
				_, err := os.Stat(filepath.Join(cwd, name))
				if want := slices.Contains(tt.files, name); want != (err == nil) {
					t.Errorf("file %s exists: %v, want %v", name, err == nil, want)
				}
			}
		})
	}
}

func TestPermissionRequestDescribesTheCall(t *testing.T) {
	p := startAgent(t)
	p.prompt(p.session(t.TempDir()), "ask run touch a")
	got := p.until(asksPermission)
	announced, request := got[len(got)-2].Params.Update, got[len(got)-1].Params
	if announced.SessionUpdate != "tool_call" || announced.ToolCallID != request.ToolCall.ToolCallID {
		t.Errorf("the call wasn't announced before the request: %s", got[len(got)-2].raw)
	}
	if c := request.ToolCall; c.Kind != "execute" || c.Title != "touch a" || c.RawInput["command"] != "touch a" {
		t.Errorf("the request says %+v", c)
	}
	for _, o := range request.Options {
		if o.ID == o.Kind {
			t.Errorf("option %q has its kind as its id; a client could choose by id and pass", o.ID)
		}
	}
}

func TestCancelWhileWaitingForPermission(t *testing.T) {
	p := startAgent(t)
	id := p.session(t.TempDir())
	p.prompt(id, "ask run touch a")
	p.until(asksPermission)
	p.cancel(id)
	got := p.until(answerTo("prompt"))
	if reason := got[len(got)-1].Result.StopReason; reason != "cancelled" {
		t.Errorf("stop reason %q", reason)
	}
	if s := lastStatuses(got); len(s) != 1 || s[0] != "failed" {
		t.Errorf("the call was left %v", s)
	}
}

func TestPermissionAnswerThatWasNotOffered(t *testing.T) {
	p := startAgent(t)
	p.prompt(p.session(t.TempDir()), "ask run touch a")
	got := p.until(asksPermission)
	p.send(map[string]any{"jsonrpc": "2.0", "id": got[len(got)-1].ID, "result": map[string]any{
		"outcome": map[string]any{"outcome": "selected", "optionId": "allow_once"},
	}})
	got = p.until(answerTo("prompt"))
	if e := got[len(got)-1].Error; e == nil || e.Code != codeInternal {
		t.Errorf("the prompt was answered %s", got[len(got)-1].raw)
	}
}

func count(lines []line, is func(line) bool) int {
	n := 0
	for _, l := range lines {
		if is(l) {
			n++
		}
	}
	return n
}
