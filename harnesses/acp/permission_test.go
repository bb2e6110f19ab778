package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const fourOptions = `"options":[{"optionId":"A","name":"Always","kind":"allow_always"},{"optionId":"a","name":"Yes","kind":"allow_once"},` +
	`{"optionId":"R","name":"Never","kind":"reject_always"},{"optionId":"r","name":"No","kind":"reject_once"}]`

// asks is a permission request with the agent's own id.
func asks(id, tool, options string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1"` + more(tool) + `},` + options + `}}`
}

func TestWhatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name   string
		tool   string
		kind   harness.AskKind
		target string
		title  string
	}{
		{"a command as text", `"kind":"execute","title":"Run it","rawInput":{"command":"rm -rf x","cwd":"/w/"}`, harness.AskCommand, "rm -rf x", "Run it"},
		{"a command in another folder", `"kind":"execute","title":"Run it","rawInput":{"command":"rm -rf x","cwd":"/w/../home/me"}`, harness.AskCommand, "cd /w/../home/me && rm -rf x", "Run it"},
		{"a command in a folder below", `"title":"Run it","rawInput":{"command":["make"],"workdir":"a b"}`, harness.AskCommand, "cd '/w/a b' && make", "Run it"},
		{"a program that is called like a shell", `"kind":"execute","title":"Run","rawInput":{"command":["./bash","-c","ls"]}`, harness.AskCommand, "./bash -c ls", "Run"},
		{"a command as a list", `"kind":"execute","title":"Run","rawInput":{"command":["git","commit","-m","it's me"]}`, harness.AskCommand, `git commit -m 'it'\''s me'`, "Run"},
		{"a script in a shell", `"kind":"execute","title":"Run","rawInput":{"command":["/bin/bash","-lc","rm x && ls"]}`, harness.AskCommand, "rm x && ls", "Run"},
		{"a command that isn't told", `"kind":"execute","title":"make test"`, harness.AskCommand, "make test", "make test"},
		{"a command without a kind", `"title":"Shell","rawInput":{"command":"ls"}`, harness.AskCommand, "ls", "Shell"},
		{"an edit with places", `"kind":"edit","title":"Edit files","locations":[{"path":"/w/a"},{"path":"/w/b"}]`, harness.AskFileWrite, "/w/a, /w/b", "Edit files"},
		{"an edit with a path", `"kind":"edit","title":"Edit","rawInput":{"filePath":"/w/a"}`, harness.AskFileWrite, "/w/a", "Edit"},
		{"an edit with a diff", `"kind":"edit","title":"Edit","locations":[{"path":"/w/a"}],"content":[{"type":"diff","path":"/w/a"},{"type":"diff","path":"/w/c"}]`, harness.AskFileWrite, "/w/a, /w/c", "Edit"},
		{"a deletion", `"kind":"delete","title":"Delete","rawInput":{"path":"/w/a"}`, harness.AskFileWrite, "/w/a", "Delete"},
		{"a move that tells nothing", `"kind":"move","title":"Move a to b"`, harness.AskFileWrite, "Move a to b", "Move a to b"},
		{"a fetch", `"kind":"fetch","title":"Fetch","rawInput":{"url":"https://example.com/x"}`, harness.AskNetwork, "https://example.com/x", "Fetch"},
		{"another tool", `"kind":"other","title":"mcp\n echo","rawInput":{"text":"x"}`, harness.AskTool, "mcp echo", "mcp echo"},
		{"nothing at all", ``, harness.AskTool, "tool", "tool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{Workspace: harness.Workspace{Root: "/w"}}, prints(hello, opened, asks("0", c.tool, fourOptions)))
			if len(p.asks()) != 1 {
				t.Fatalf("%d asks, want one", len(p.asks()))
			}
			want := &harness.Ask{ID: "r-1", Kind: c.kind, Target: c.target, Title: c.title, Options: []harness.Option{
				{ID: "A", Name: "Always", Allow: true},
				{ID: "a", Name: "Yes", Allow: true, Once: true},
				{ID: "R", Name: "Never"},
				{ID: "r", Name: "No", Once: true},
			}}
			if diff := cmp.Diff(want, p.asks()[0]); diff != "" {
				t.Errorf("ask (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAskKnowsWhatTheCallTold(t *testing.T) {
	call := `{"jsonrpc":"2.0","method":"session/update","params":{"update":` + called(`"kind":"execute","title":"Bash","rawInput":{"command":"ls"}`) + `}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, call, asks("0", "", fourOptions)))
	if a := p.asks()[0]; a.Kind != harness.AskCommand || a.Target != "ls" || a.Title != "Bash" {
		t.Errorf("ask %+v, want the command ls", a)
	}
}

func TestARequestForAnUnannouncedCallIsRememberedForItsUpdate(t *testing.T) {
	done := `{"jsonrpc":"2.0","method":"session/update","params":{"update":` + changed(`"status":"completed"`) + `}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("0", `"kind":"execute","title":"Shell","rawInput":{"command":"ls"}`, fourOptions), done, endTurn))
	want := []string{"call start 2 execute", `call args 2 {"command":"ls"}`, "call end 2", "call result 2 3"}
	if diff := cmp.Diff(want, brief(p.decoded(t))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestARequestDoesNotReplaceTheArguments(t *testing.T) {
	call := `{"jsonrpc":"2.0","method":"session/update","params":{"update":` + called(`"kind":"edit","status":"pending","rawInput":{"file":"a"}`) + `}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, call, asks("0", `"rawInput":{"diff":"long"}`, fourOptions)))
	if got := strings.Join(brief(p.decoded(t)), "\n"); !strings.Contains(got, `call args 1 {"file":"a"}`) {
		t.Errorf("arguments are gone:\n%s", got)
	}
}

func TestAnswers(t *testing.T) {
	selected := func(id string) string {
		return `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"optionId":"` + id + `","outcome":"selected"}}}`
	}
	const cancelled = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}`
	only := func(kind string) string { return `"options":[{"optionId":"x","name":"X","kind":"` + kind + `"}]` }
	for _, c := range []struct {
		name     string
		options  string
		decision harness.Decision
		want     string
	}{
		{"allow prefers once", fourOptions, harness.Decision{Allow: true}, selected("a")},
		{"allow takes always where there is no once", only("allow_always"), harness.Decision{Allow: true}, selected("x")},
		{"deny prefers once", fourOptions, harness.Decision{}, selected("r")},
		{"deny takes always where there is no once", only("reject_always"), harness.Decision{}, selected("x")},
		{"deny without such an option", only("allow_once"), harness.Decision{}, cancelled},
		{"allow without such an option", only("reject_once"), harness.Decision{Allow: true}, cancelled},
		{"no options", `"options":[]`, harness.Decision{Allow: true}, cancelled},
		{"a chosen option", fourOptions, harness.Decision{Allow: true, Option: "A"}, selected("A")},
		{"a chosen option that contradicts the denial", fourOptions, harness.Decision{Option: "A"}, selected("r")},
		{"a chosen option that isn't offered", fourOptions, harness.Decision{Allow: true, Option: "Z"}, selected("a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("0", `"title":"T"`, c.options)), decides(c.decision))
			w := p.written()
			if diff := cmp.Diff([]string{c.want}, w[3:]); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIDsOfTheAgentAreEchoed(t *testing.T) {
	for _, id := range []string{"0", "3", `"3"`, `"a-uuid"`, "1.5", `{"odd":[1]}`} {
		p := play(t, config{}, harness.Start{}, prints(hello, opened, asks(id, `"title":"T"`, fourOptions)), decides(harness.Decision{Allow: true}), prints(endTurn))
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"optionId":"a","outcome":"selected"}}}`
		if diff := cmp.Diff(want, p.written()[3]); diff != "" {
			t.Errorf("id %s (-want +got):\n%s", id, diff)
		}
		if r := p.result(t); r.Reason != harness.ReasonOK {
			t.Errorf("id %s: result %+v; the agent's ids must not settle our requests", id, r)
		}
	}
}

func TestOtherRequestsAreRefused(t *testing.T) {
	for _, method := range []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "_x.ai/odd"} {
		p := play(t, config{}, harness.Start{}, prints(hello, opened, `{"jsonrpc":"2.0","id":"q","method":"`+method+`","params":{}}`, endTurn))
		want := `{"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"Method not found: ` + method + `"}}`
		if diff := cmp.Diff(want, p.written()[3]); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	}
}

func TestCancelAnswersWhatIsOpen(t *testing.T) {
	const reply = `{"jsonrpc":"2.0","id":%,"result":{"outcome":{"outcome":"cancelled"}}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("7", `"title":"T"`, fourOptions), asks(`"8"`, `"title":"U"`, fourOptions)), cancels,
		decides(harness.Decision{Allow: true}), prints(asks("9", `"title":"V"`, fourOptions), `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`))
	want := []string{
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`,
		strings.Replace(reply, "%", "7", 1), strings.Replace(reply, "%", `"8"`, 1), strings.Replace(reply, "%", "9", 1), "EOF",
	}
	if diff := cmp.Diff(want, p.written()[3:]); diff != "" {
		t.Errorf("stdin (-want +got):\n%s", diff)
	}
	if r := p.result(t); r.Reason != harness.ReasonCanceled {
		t.Errorf("result %+v, want canceled", r)
	}
	if len(p.asks()) != 2 {
		t.Errorf("%d asks; nobody must be asked after a cancel", len(p.asks()))
	}
}

func TestTheEndOfTheTurnAnswersWhatIsOpen(t *testing.T) {
	p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("7", `"title":"T"`, fourOptions), endTurn), decides(harness.Decision{Allow: true}))
	want := []string{`{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`, "EOF"}
	if diff := cmp.Diff(want, p.written()[3:]); diff != "" {
		t.Errorf("stdin (-want +got):\n%s", diff)
	}
}

func TestCancelBeforeThePromptEndsTheAgent(t *testing.T) {
	for n, lines := range [][]string{{}, {hello}} {
		p := play(t, config{}, harness.Start{}, prints(lines...), cancels, prints(append(lines, opened)...))
		if got := p.methods(t); got[len(got)-1] != "EOF" || strings.Contains(strings.Join(got, " "), "session/prompt") {
			t.Errorf("%d lines: stdin %v, want its end and no prompt", n, got)
		}
		if r := p.result(t); r.Reason != harness.ReasonCanceled {
			t.Errorf("result %+v, want canceled", r)
		}
	}
}

func TestIDsDoNotDependOnACancel(t *testing.T) {
	lines := prints(asks("7", `"title":"T"`, fourOptions), `{"jsonrpc":"2.0","method":"session/update","params":{"update":`+said("x")+`}}`, endTurn)
	calm := play(t, config{}, harness.Start{}, prints(hello, opened), lines)
	canceled := play(t, config{}, harness.Start{}, prints(hello, opened), cancels, lines)
	if diff := cmp.Diff(calm.events(), canceled.events()); diff != "" {
		t.Errorf("events differ (-calm +canceled):\n%s", diff)
	}
}

func TestADecisionGivenTwiceIsAnsweredOnce(t *testing.T) {
	again := decides(harness.Decision{Allow: true})
	p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("0", `"title":"T"`, fourOptions)), decides(harness.Decision{}), again)
	if got := p.methods(t); len(got) != 4 {
		t.Errorf("stdin %v, want one answer", got)
	}
}

func TestWhatTheAgentNoLongerWaitsForIsWithdrawn(t *testing.T) {
	const cancelled = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}`
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`
	}
	for _, c := range []struct {
		name string
		line string
		want int
	}{
		{"a request that is canceled", cancel("0"), 1},
		{"another one", cancel("7"), 0},
		{"one that isn't named", `{"jsonrpc":"2.0","method":"$/cancel_request"}`, 0},
		{"the end of the turn", endTurn, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{}, prints(hello, opened, asks("0", "", fourOptions), c.line))
			got := sentOf[*harness.Withdraw](p)
			if len(got) != c.want || c.want > 0 && got[0].Ask != p.asks()[0].ID {
				t.Errorf("withdrawn: %v, want %d", got, c.want)
			}
			if answered := strings.Contains(strings.Join(p.written(), "\n"), cancelled); answered != (c.want > 0) {
				t.Errorf("answered: %v in %s", answered, p.written())
			}
		})
	}
}
