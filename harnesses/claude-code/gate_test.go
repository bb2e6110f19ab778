package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const (
	initialized = `{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}`
	initLine    = `{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.332"}`
	wellDone    = `{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s1"}`
)

func asks() harness.Start { return harness.Start{Policy: harness.Policy{Default: "ask"}} }

func hook(id, call, tool, input string) string {
	return `{"type":"control_request","request_id":"` + id + `","request":{"subtype":"hook_callback","callback_id":"tool","input":` +
		`{"hook_event_name":"PreToolUse","cwd":"/r/sub","tool_name":"` + tool + `","tool_input":` + input + `,"tool_use_id":"` + call + `"}}}`
}

func canUse(id, call, tool, input string) string {
	return `{"type":"control_request","request_id":"` + id + `","request":{"subtype":"can_use_tool","tool_name":"` + tool + `","input":` + input + `,"tool_use_id":"` + call + `"}}`
}

// replies are our answers to the CLI's requests, by their id.
func (p *tape) replies(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, line := range p.written() {
		var m struct {
			Type     string
			Response struct {
				RequestID string `json:"request_id"`
				Error     string
				Response  struct {
					Behavior, Message  string
					HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string }
				}
			}
		}
		if line == "EOF" || json.Unmarshal([]byte(line), &m) != nil || m.Type != "control_response" {
			continue
		}
		r := m.Response
		h := r.Response.HookSpecificOutput
		out[r.RequestID] = strings.TrimSpace(strings.Join([]string{h.PermissionDecision, h.PermissionDecisionReason, r.Response.Behavior, r.Response.Message, r.Error}, " "))
	}
	return out
}

func TestEachToolCallIsPutToTheHost(t *testing.T) {
	for _, c := range []struct {
		name, tool, input string
		want              *harness.Ask // nil: allowed at once
	}{
		{"a command", "Bash", `{"command":"ls -l","description":"List\n files"}`, &harness.Ask{Kind: harness.AskCommand, Target: "ls -l", Dir: "/r/sub", Title: "Bash: List files"}},
		{"a command that is watched", "Monitor", `{"command":"tail -f x"}`, &harness.Ask{Kind: harness.AskCommand, Target: "tail -f x", Dir: "/r/sub", Title: "Monitor: tail -f x"}},
		{"a write", "Write", `{"file_path":"/r/a","content":"x"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "/r/a", Title: "Write: /r/a"}},
		{"a notebook", "NotebookEdit", `{"notebook_path":"/r/n"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "/r/n", Title: "NotebookEdit: /r/n"}},
		{"a write to a name", "Write", `{"file_path":"../a","content":"x"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "/r/sub/../a", Title: "Write: ../a"}},
		{"a write to a home", "Write", `{"file_path":"~/a"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "~/a", Title: "Write: ~/a"}},
		{"a write to a name that the CLI trims", "Write", `{"file_path":" /a"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: " /a", Title: "Write: /a"}},
		{"names in other letters", "Write", `{"file_path":"/r/a","FILE_PATH":"/r/b","File_path":"/r/c"}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "/r/a", Title: "Write: /r/a"}},
		{"a command beside one in other letters", "Bash", `{"command":"sudo x","Command":"ls"}`, &harness.Ask{Kind: harness.AskCommand, Target: "sudo x", Dir: "/r/sub", Title: "Bash: sudo x"}},
		{"a write without a path", "Edit", `{}`, &harness.Ask{Kind: harness.AskFileWrite, Target: "Edit", Title: "Edit: Edit"}},
		{"a page", "WebFetch", `{"url":"https://a.example:8443/x"}`, &harness.Ask{Kind: harness.AskNetwork, Target: "a.example:8443", Title: "WebFetch: https://a.example:8443/x"}},
		{"a search", "WebSearch", `{"query":"go maps"}`, &harness.Ask{Kind: harness.AskNetwork, Target: "search: go maps", Title: "WebSearch: go maps"}},
		{"a tool of a server that has a command of its own", "mcp__db__run", `{"command":"drop"}`, &harness.Ask{Kind: harness.AskTool, Target: "mcp__db__run", Title: `mcp__db__run: {"command":"drop"}`}},
		{"a message, which another session may get", "SendMessage", `{"to":"a"}`, &harness.Ask{Kind: harness.AskTool, Target: "SendMessage", Title: `SendMessage: {"to":"a"}`}},
		{"a tool nobody knows", "New", `[1]`, &harness.Ask{Kind: harness.AskTool, Target: "New", Title: "New: [1]"}},
		{"reading", "Read", `{"file_path":"/r/a"}`, nil},
		{"a subagent", "Agent", `{"prompt":"x"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), prints(initialized, initLine, hook("h1", "t1", c.tool, c.input)))
			got := sentOf[*harness.Ask](p)
			if c.want == nil {
				if len(got) != 0 || p.replies(t)["h1"] != "allow" {
					t.Errorf("asks %v, replies %v", got, p.replies(t))
				}
				return
			}
			if len(got) != 1 || len(p.replies(t)) != 0 {
				t.Fatalf("asks %v, replies %v", got, p.replies(t))
			}
			c.want.ID = got[0].ID
			if diff := cmp.Diff(c.want, got[0]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDecisionsReachTheAgent(t *testing.T) {
	bash := hook("h1", "t1", "Bash", `{"command":"x"}`)
	again := canUse("c1", "t1", "Bash", `{"command":"x"}`)
	allow, deny := decides(harness.Decision{Allow: true}), decides(harness.Decision{Reason: `denied by rule commands.deny "x"`})
	for _, c := range []struct {
		name  string
		steps []step
		asks  int
		want  map[string]string
	}{
		{"allowed", []step{prints(bash), allow}, 1, map[string]string{"h1": "allow"}},
		{"denied, with the reason", []step{prints(bash), deny}, 1, map[string]string{"h1": `deny denied by rule commands.deny "x"`}},
		{"denied without one", []step{prints(bash), decides(harness.Decision{})}, 1, map[string]string{"h1": "deny denied by the policy of this sandbox"}},
		{"the CLI asks once more", []step{prints(bash), allow, prints(again)}, 1, map[string]string{"h1": "allow", "c1": "allow"}},
		{"the CLI asks once more after a denial", []step{prints(bash), deny, prints(again)}, 1, map[string]string{"h1": `deny denied by rule commands.deny "x"`, "c1": `deny denied by rule commands.deny "x"`}},
		{"the CLI asks once more before the answer", []step{prints(bash, again), allow}, 1, map[string]string{"h1": "allow", "c1": "allow"}},
		{"the CLI asks, and the hook was never called", []step{prints(again), deny}, 1, map[string]string{"c1": `deny denied by rule commands.deny "x"`}},
		{"withdrawn", []step{prints(bash, `{"type":"control_cancel_request","request_id":"h1"}`), allow}, 1, map[string]string{}},
		{"asked after it was withdrawn", []step{prints(bash, `{"type":"control_cancel_request","request_id":"h1"}`, again)}, 1, map[string]string{"c1": "deny the request was withdrawn"}},
		{"canceled while it waits", []step{prints(bash), cancels}, 1, map[string]string{"h1": "deny the run was canceled"}},
		{"asked after a cancel", []step{cancels, prints(bash)}, 0, map[string]string{}},
		{"something we don't serve", []step{prints(`{"type":"control_request","request_id":"m","request":{"subtype":"mcp_message"}}`)}, 0, map[string]string{"m": "this client doesn't serve mcp_message"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), append([]step{prints(initialized, initLine)}, c.steps...)...)
			if got := len(sentOf[*harness.Ask](p)); got != c.asks {
				t.Errorf("%d asks, want %d", got, c.asks)
			}
			got := p.replies(t)
			if c.name == "asked after a cancel" {
				c.want["h1"] = "deny the run was canceled"
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestWhatWasAllowedIsAllowedOnce has a model's service give several calls one id.
func TestWhatWasAllowedIsAllowedOnce(t *testing.T) {
	made := func(command string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"` + command + `"}}]}}`
	}
	result := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}`
	first := []step{prints(made("ls"), hook("h1", "t1", "Bash", `{"command":"ls"}`)), decides(harness.Decision{Allow: true})}
	for _, c := range []struct {
		name  string
		after []step
		asks  int
	}{
		{"another command at the same time", []step{prints(made("rm x"), hook("h2", "t1", "Bash", `{"command":"rm x"}`))}, 2},
		{"another command later", []step{prints(result, made("rm x"), hook("h2", "t1", "Bash", `{"command":"rm x"}`))}, 2},
		{"the same command later", []step{prints(result, made("ls"), hook("h2", "t1", "Bash", `{"command":"ls"}`))}, 2},
		{"another tool", []step{prints(hook("h2", "t1", "Monitor", `{"command":"ls"}`))}, 2},
		{"the CLI asks about another command", []step{prints(canUse("h2", "t1", "Bash", `{"command":"rm x"}`))}, 2},
		{"the CLI asks once more, spaced otherwise", []step{prints(canUse("h2", "t1", "Bash", `{ "command": "ls" }`))}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), append(slices.Clone(first), c.after...)...)
			if got := len(sentOf[*harness.Ask](p)); got != c.asks {
				t.Errorf("%d asks, want %d", got, c.asks)
			}
			if _, answered := p.replies(t)["h2"]; answered != (c.asks == 1) {
				t.Errorf("replies %v", p.replies(t))
			}
		})
	}
}

// TestCallsWithOneIDAreTold has the second begin when the first is over.
func TestCallsWithOneIDAreTold(t *testing.T) {
	made := func(command string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"` + command + `"}}]}}`
	}
	result := func(text string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"` + text + `"}]}}`
	}
	p := play(t, config{}, harness.Start{Policy: harness.Policy{Default: "allow"}}, prints(initLine, made("ls"), result("one"), made("rm x"), result("two"), wellDone))
	all := strings.Join(p.events(), "\n")
	for _, want := range []string{"ls", "one", "rm x", "two"} {
		if !strings.Contains(all, want) {
			t.Errorf("not told: %s\n%s", want, all)
		}
	}
}

func TestThePromptIsSentOnlyOnceTheHookStands(t *testing.T) {
	if got := play(t, config{}, asks()).written(); len(got) != 1 || !strings.Contains(got[0], `"PreToolUse":[{"hookCallbackIds":["tool"],"matcher":null,"timeout":86400}]`) {
		t.Errorf("before the answer: %v", got)
	}
	got := play(t, config{}, asks(), prints(initialized, initialized, wellDone)).written()
	if len(got) != 3 || !strings.Contains(got[1], `"text":"do the task"`) || got[2] != "EOF" {
		t.Errorf("after it: %v", got)
	}
	p := play(t, config{}, asks(), prints(`{"type":"control_response","response":{"subtype":"error","request_id":"initialize","error":"no hooks here"}}`))
	if got := p.written(); len(got) != 2 || got[1] != "EOF" {
		t.Errorf("after a refusal: %v", got)
	}
	if r := p.result(t); r.Reason != harness.ReasonCLITooOld || !strings.Contains(r.Message, "no hooks here") {
		t.Errorf("result %+v", r)
	}
}

func TestACallThatWasntPutToUsIsTold(t *testing.T) {
	call := func(tool string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"` + tool + `","input":{}}]}}`
	}
	result := func(failed string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x","is_error":` + failed + `}]}}`
	}
	for _, c := range []struct {
		name  string
		lines []string
		told  bool
	}{
		{"it ran", []string{call("Bash"), result("false")}, true},
		{"it failed before the hook", []string{call("Bash"), result("true")}, false},
		{"it only reads", []string{call("Read"), result("false")}, false},
		{"it was asked", []string{call("Bash"), hook("h", "t1", "Bash", "{}"), result("false")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), prints(c.lines...))
			told := slices.ContainsFunc(p.events(), func(e string) bool { return strings.Contains(e, "tool_not_decided") })
			if told != c.told {
				t.Errorf("told is %v: %v", told, p.events())
			}
		})
	}
}

func TestACancelInterruptsTheTurn(t *testing.T) {
	p := play(t, config{}, asks(), prints(initialized, initLine), cancels,
		prints(`{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`))
	got := p.written()
	if len(got) != 4 || got[2] != `{"request":{"subtype":"interrupt"},"request_id":"interrupt","type":"control_request"}` || got[3] != "EOF" {
		t.Errorf("stdin %v", got)
	}
	if r := p.result(t); r.Reason != harness.ReasonCanceled || r.Session != "s1" {
		t.Errorf("result %+v", r)
	}
	// A denial that came first would have the CLI ask its model again.
	waiting := play(t, config{}, asks(), prints(initialized, initLine, hook("h1", "t1", "Bash", `{"command":"x"}`)), cancels).written()
	if len(waiting) != 4 || !strings.Contains(waiting[2], `"interrupt"`) || !strings.Contains(waiting[3], `"h1"`) {
		t.Errorf("while a request waits: stdin %v", waiting)
	}
	if got := play(t, config{}, asks(), cancels, prints(initialized)).written(); len(got) != 2 || got[1] != "EOF" {
		t.Errorf("a cancel before the prompt: stdin %v", got)
	}
}

func TestStdinEndsOnceNoSubagentWorks(t *testing.T) {
	tasks := func(list string) string {
		return `{"type":"system","subtype":"background_tasks_changed","tasks":[` + list + `]}`
	}
	agent := `{"task_id":"a","task_type":"local_agent"}`
	for _, c := range []struct {
		name  string
		lines []string
		ended bool
	}{
		{"nothing in the background", []string{wellDone}, true},
		{"a command in the background", []string{tasks(`{"task_type":"local_bash"}`), wellDone}, true},
		{"a subagent", []string{tasks(agent), wellDone}, false},
		{"a subagent that has ended, and the turn after it", []string{tasks(agent), wellDone, tasks(""), wellDone}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), prints(initialized, initLine), prints(c.lines...))
			if ended := slices.Contains(p.written(), "EOF"); ended != c.ended {
				t.Errorf("stdin %v", p.written())
			}
		})
	}
}

// TestWhatTheCLIWithdrawsIsWithdrawn, once no question of the CLI's waits for that
// answer.
func TestWhatTheCLIWithdrawsIsWithdrawn(t *testing.T) {
	bash, again := hook("h1", "t1", "Bash", `{"command":"x"}`), canUse("c1", "t1", "Bash", `{"command":"x"}`)
	back := func(id string) string { return `{"type":"control_cancel_request","request_id":"` + id + `"}` }
	for _, c := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"the only question", []string{bash, back("h1")}, 1},
		{"one of two about the same call", []string{bash, again, back("h1")}, 0},
		{"both", []string{bash, again, back("h1"), back("c1")}, 1},
		{"one that isn't there", []string{bash, back("h9")}, 0},
		{"twice", []string{bash, back("h1"), back("h1")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, asks(), prints(initialized, initLine), prints(c.lines...))
			got := sentOf[*harness.Withdraw](p)
			if len(got) != c.want || c.want > 0 && got[0].Ask != sentOf[*harness.Ask](p)[0].ID {
				t.Errorf("withdrawn: %v, want %d", got, c.want)
			}
		})
	}
}
