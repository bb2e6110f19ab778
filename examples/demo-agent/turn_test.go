package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTurnsWithoutTools(t *testing.T) {
	tests := []struct {
		name   string
		lines  []string
		said   string
		reason string
	}{
		{"text is answered", []string{"say grüße, 世界"}, "grüße, 世界\n", "end_turn"},
		{"instructions may stand among prose", []string{"Dear agent,", "say yes", "thank you"}, "yes\n", "end_turn"},
		{"escapes are understood", []string{`say a\nb\tc\\d`}, "a\nb\tc\\d\n", "end_turn"},
		{"a refusal ends the turn", []string{"say a", "refuse", "say b"}, "a\n", "refusal"},
		{"so does a cut", []string{"max-tokens", "say b"}, "", "max_tokens"},
		{"and a limit of requests", []string{"max-turns", "say b"}, "", "max_turn_requests"},
		{"a pause ends", []string{"sleep 1ms", "say b"}, "b\n", "end_turn"},
		{"spam is numbered", []string{"spam 3"}, "1\n2\n3\n", "end_turn"},
		{"a line has its size", []string{"line 25"}, "0123456789012345678901234", "end_turn"},
		{"an unknown mode is refused", []string{"mode fast"}, "There is no mode fast\n", "end_turn"},
		{"a conversation before the prompt was had already", []string{"[user]", "say a", "[assistant]", "a", "[user, now]", "say b"}, "b\n", "end_turn"},
		{"an unknown update does no harm", []string{"unknown-update", "say b"}, "b\n", "end_turn"},
	}
	p := startAgent(t)
	id := p.session(t.TempDir())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, answer := p.turn(id, tt.lines...)
			if said(got) != tt.said || answer.Result.StopReason != tt.reason {
				t.Errorf("said %q, %s; want %q, %s", said(got), answer.raw, tt.said, tt.reason)
			}
		})
	}
}

func TestPromptWithoutInstructionIsAnsweredWithHelp(t *testing.T) {
	p := startAgent(t)
	got, answer := p.turn(p.session(t.TempDir()), "What can you do?")
	if said(got) != help()+"\n" || answer.Result.StopReason != "end_turn" {
		t.Errorf("said %q, %s", said(got), answer.raw)
	}
}

func TestPromptError(t *testing.T) {
	p := startAgent(t)
	_, answer := p.turn(p.session(t.TempDir()), "error -32000 Authentication required")
	want := &rpcError{-32000, "Authentication required"}
	if diff := cmp.Diff(want, answer.Error); diff != "" {
		t.Error(diff)
	}
}

func TestUpdatesOfEveryKind(t *testing.T) {
	p := startAgent(t)
	got, answer := p.turn(p.session(t.TempDir()),
		"think hm", "plan a; b", "usage 10 5", "usage 1 2", "mode ask", "title T", "unknown-update")
	want := []string{
		"available_commands_update", chunkThought, "plan", "plan", "plan", "plan", "usage_update", "usage_update",
		"current_mode_update", "session_info_update", "demo_weather_update",
	}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Error(diff)
	}
	entries := got[3].Params.Update.Entries
	if diff := cmp.Diff([]planEntry{{"a", "medium", "in_progress"}, {"b", "medium", "pending"}}, entries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&usage{11, 7, 18}, answer.Result.Usage); diff != "" {
		t.Error(diff)
	}
	if u := got[7].Params.Update; u.Used != 18 || u.Size != contextSize {
		t.Errorf("usage update: %+v", u)
	}
}

func TestFilesAreEdited(t *testing.T) {
	p, cwd := startAgent(t), t.TempDir()
	got, _ := p.turn(p.session(cwd), `write d/a.txt: one\ntwo`, "append d/a.txt: three", "read d/a.txt", "read none.txt")
	content, err := os.ReadFile(filepath.Join(cwd, "d", "a.txt"))
	if err != nil || string(content) != "one\ntwo\nthree\n" {
		t.Fatalf("file holds %q, %v", content, err)
	}
	if !strings.HasPrefix(said(got), "one\ntwo\nthree\nRead none.txt failed: ") {
		t.Errorf("said %q", said(got))
	}
	if diff := cmp.Diff([]string{"completed", "completed", "completed", "failed"}, lastStatuses(got)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(got[4].raw, `"type":"diff"`) || !strings.Contains(got[4].raw, `"oldText":"one\ntwo\n","newText":"one\ntwo\nthree\n"`) {
		t.Errorf("the second edit shows no diff: %s", got[4].raw)
	}
	if strings.Contains(got[1].raw, "oldText") {
		t.Errorf("a new file has an old text: %s", got[1].raw)
	}
}

func TestCommandsAreRun(t *testing.T) {
	tests := []struct {
		name    string
		command string
		output  string
		status  string
		said    string
	}{
		{"success is completed", "echo hi; pwd >/dev/null", "hi\n", "completed", "ended with exit code 0"},
		{"failure is failed, both streams are shown", "echo a; echo b >&2; exit 3", "a\nb\n", "failed", "ended with exit code 3"},
		{"silence is said", "true", "(no output)\n", "completed", "ended with exit code 0"},
		{"a signal is named", "kill -9 $$", "(no output)\n", "failed", "was ended by a signal: killed"},
		{"what is left behind doesn't hold the turn", "sleep 20 & echo x", "x\n", "completed", "ended with exit code 0"},
	}
	p := startAgent(t)
	id := p.session(t.TempDir())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := p.turn(id, "run "+tt.command)
			var last line
			for _, l := range got {
				if l.Params.Update.SessionUpdate == "tool_call_update" {
					last = l
				}
			}
			if last.text() != tt.output || last.Params.Update.Status != tt.status {
				t.Errorf("showed %q as %s", last.text(), last.Params.Update.Status)
			}
			if want := "`" + tt.command + "` " + tt.said + "\n"; said(got) != want {
				t.Errorf("said %q, want %q", said(got), want)
			}
		})
	}
}

func TestOutputIsStreamedWhileTheCommandRuns(t *testing.T) {
	p, cwd := startAgent(t), t.TempDir()
	p.prompt(p.session(cwd), "run echo first; until [ -e go ]; do :; done; echo second")
	p.until(func(l line) bool { return l.Params.Update.Status == "in_progress" && l.text() == "first\n" })
	if err := os.WriteFile(filepath.Join(cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.until(answerTo("prompt"))
	if lastStatuses(got)[0] != "completed" {
		t.Error(kinds(got))
	}
}

func TestOnePromptAtATime(t *testing.T) {
	p := startAgent(t)
	id := p.session(t.TempDir())
	p.prompt(id, "sleep 10m")
	p.request("second", "session/prompt", map[string]any{"sessionId": id, "prompt": []any{}})
	got := p.until(answerTo("second"))
	if e := got[len(got)-1].Error; e == nil || e.Code != codeInvalid {
		t.Errorf("the second prompt: %s", got[len(got)-1].raw)
	}
	p.cancel(id)
	got = p.until(answerTo("prompt"))
	if got[len(got)-1].Result.StopReason != "cancelled" {
		t.Errorf("the first prompt: %s", got[len(got)-1].raw)
	}
}

// lastStatuses is the final status of each tool call, in order.
func lastStatuses(lines []line) []string {
	var ids, statuses []string
	for _, l := range lines {
		u := l.Params.Update
		switch i := slices.Index(ids, u.ToolCallID); {
		case u.ToolCallID == "" || u.Status == "":
		case i < 0:
			ids, statuses = append(ids, u.ToolCallID), append(statuses, u.Status)
		default:
			statuses[i] = u.Status
		}
	}
	return statuses
}
