package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestLaunch(t *testing.T) {
	common := "claude -p --output-format stream-json --verbose --include-partial-messages"
	tools := "--permission-mode default --allowedTools " + strings.Join(everyTool(), " ")
	gated := `--permission-mode default --permission-prompt-tool stdio --settings {"disableAllHooks":true,"disableSkillShellExecution":true} --strict-mcp-config --disallowedTools AskUserQuestion`
	schema := []byte(`{"type":"object"}`)
	for _, c := range []struct {
		name   string
		config config
		start  harness.Start
		argv   string
		stdin  harness.Stdin
	}{
		{"everything is allowed on this machine", config{}, harness.Start{Policy: free(), Isolation: sandbox.IsolationNone}, common + " " + tools, harness.StdinPrompt},
		{"everything is allowed where nobody says what isolates it", config{}, harness.Start{Policy: free()}, common + " " + tools, harness.StdinPrompt},
		{"everything is allowed in a sandbox", config{}, harness.Start{Policy: free(), Isolation: sandbox.IsolationContainer}, common + " --permission-mode bypassPermissions", harness.StdinPrompt},
		{"rules that allow add nothing to it", config{}, harness.Start{Policy: harness.Policy{Default: "allow", Allow: []string{"ls"}}, Isolation: sandbox.IsolationVM}, common + " --permission-mode bypassPermissions", harness.StdinPrompt},
		{"a schema", config{}, harness.Start{Policy: free(), Schema: schema, Isolation: sandbox.IsolationVM}, common + " --input-format stream-json --permission-mode bypassPermissions", harness.StdinDuplex},
		{"a policy that asks", config{}, asks(), common + " --input-format stream-json " + gated, harness.StdinDuplex},
		{"a policy that denies writes", config{}, harness.Start{Policy: harness.Policy{Default: "allow", FileWrite: "deny"}}, common + " --input-format stream-json " + gated, harness.StdinDuplex},
		{"a policy that asks about the network", config{}, harness.Start{Policy: harness.Policy{Default: "allow", Network: "ask"}}, common + " --input-format stream-json " + gated, harness.StdinDuplex},
		{"rules that deny", config{}, harness.Start{Policy: harness.Policy{Default: "allow", Deny: []string{"sudo", "rm *", "f()", "", "a\nb"}}}, common + " --input-format stream-json " + gated + " Bash(sudo) Bash(sudo *) Bash(rm *)", harness.StdinDuplex},
		{
			"all options",
			config{Command: []string{"nice", "claude"}, MaxTurns: 3, Effort: "low", SystemPrompt: "You", AppendSystemPrompt: "And", AddDirs: []string{"/a", "/b c"}},
			harness.Start{Policy: free(), Session: "s1", Model: "opus", Isolation: sandbox.IsolationVM, Workspace: harness.Workspace{StateDir: "/state"}},
			"nice " + common + " --resume=s1 --model=opus --effort=low --max-turns=3 --system-prompt-file=/state/system-prompt.txt" +
				" --append-system-prompt-file=/state/append-system-prompt.txt --add-dir=/a --add-dir=/b c --permission-mode bypassPermissions",
			harness.StdinPrompt,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.config, c.start, prints(initLine, wellDone))
			l := p.launch(t)
			if diff := cmp.Diff(c.argv, strings.Join(l.Argv, " ")); diff != "" {
				t.Errorf("argv (-want +got)\n%s", diff)
			}
			if l.Stdin != c.stdin || (l.Stdin == harness.StdinPrompt) != (string(l.Prompt) == "do the task") {
				t.Errorf("stdin %s with prompt %q", l.Stdin, l.Prompt)
			}
			written := slices.ContainsFunc(p.written(), func(s string) bool { return s != "EOF" })
			if written != (l.Stdin == harness.StdinDuplex) {
				t.Errorf("stdin %s, written %v", l.Stdin, p.written())
			}
		})
	}
}

func TestTheSchemaGoesThroughStdin(t *testing.T) {
	got := play(t, config{}, harness.Start{Policy: free(), Schema: []byte(`{"type":"object"}`)}).written()
	want := []string{`{"request":{"jsonSchema":{"type":"object"},"subtype":"initialize"},"request_id":"initialize","type":"control_request"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSystemPromptsAreFiles(t *testing.T) {
	p := play(t, config{SystemPrompt: "You", AppendSystemPrompt: "And"}, harness.Start{Policy: free()})
	want := []*harness.Provision{{Files: []harness.File{{Path: fileSystem, Data: []byte("You")}, {Path: fileAppend, Data: []byte("And")}}}}
	if diff := cmp.Diff(want, sentOf[*harness.Provision](p)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	env := func(c config, i sandbox.Isolation) map[string]string {
		return play(t, c, harness.Start{Policy: free(), Isolation: i}).launch(t).Env
	}
	want := map[string]string{
		"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "4",
		"CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST": "1",
	}
	if diff := cmp.Diff(want, env(config{}, sandbox.IsolationNone)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want["IS_SANDBOX"], want["CLAUDE_CODE_MAX_RETRIES"], want["A"] = "1", "0", "b"
	if diff := cmp.Diff(want, env(config{Env: map[string]string{"CLAUDE_CODE_MAX_RETRIES": "0", "A": "b"}}, sandbox.IsolationVM)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func inState(s harness.Start) harness.Start {
	s.Workspace.StateDir = "/state"
	return s
}

func TestAPolicyChoosesTheShellAndTrustsNoRepository(t *testing.T) {
	for _, c := range []struct {
		name             string
		config           config
		start            harness.Start
		shell, trust, rc string
		files            []harness.File
	}{
		{"a policy that asks", config{}, inState(asks()), "bash", "1", "/state/shell.sh", []harness.File{{Path: fileShell, Data: []byte(noAliases)}}},
		{"one that allows everything", config{}, inState(harness.Start{Policy: free()}), "", "", "", nil},
		{
			"what the configuration says counts",
			config{Env: map[string]string{"CLAUDE_CODE_SHELL": "/opt/bash"}},
			inState(asks()), "/opt/bash", "1",
			"/state/shell.sh",
			[]harness.File{{Path: fileShell, Data: []byte(noAliases)}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.config, c.start)
			env := p.launch(t).Env
			var files []harness.File
			for _, f := range sentOf[*harness.Provision](p) {
				files = append(files, f.Files...)
			}
			if diff := cmp.Diff(c.files, files); diff != "" || env["CLAUDE_ENV_FILE"] != c.rc {
				t.Errorf("file for the shell %q; files (-want +got)\n%s", env["CLAUDE_ENV_FILE"], diff)
			}
			if env["CLAUDE_CODE_SHELL"] != c.shell || env["CLAUDE_CODE_IGNORE_PERSISTED_TRUST"] != c.trust {
				t.Errorf("shell %q, no trust %q", env["CLAUDE_CODE_SHELL"], env["CLAUDE_CODE_IGNORE_PERSISTED_TRUST"])
			}
		})
	}
}

func TestALoginOfTheCLIIsLeftToIt(t *testing.T) {
	start := harness.Start{Policy: free(), AuthMode: authHost}
	if got := play(t, config{}, start).launch(t).Env["CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"]; got != "" {
		t.Errorf("managed by the host: %q", got)
	}
}

func TestHistoryIsToldOnlyToANewSession(t *testing.T) {
	history := []harness.Message{{Role: "user", Text: "Remember 42."}, {Role: "assistant", Text: "I do.\n"}}
	start := harness.Start{Policy: free(), Prompt: "What was it?", History: history}
	want := "The conversation so far:\n\n[user]\nRemember 42.\n\n[assistant]\nI do.\n\n[user, now]\nWhat was it?"
	if got := string(play(t, config{}, start).launch(t).Prompt); got != want {
		t.Errorf("a new session: %q", got)
	}
	start.Session = "s1"
	if got := string(play(t, config{}, start).launch(t).Prompt); got != "What was it?" {
		t.Errorf("a session that is resumed: %q", got)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for _, c := range []struct {
		name      string
		config    config
		attribute string
	}{
		{"nothing is needed", config{}, ""},
		{"an empty program", config{Command: []string{""}}, "command"},
		{"turns below zero", config{MaxTurns: -1}, "max_turns"},
		{"an effort nobody knows", config{Effort: "huge"}, "effort"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newClaude(t.Context(), c.config, sdk.Host{})
			got := ""
			if e := new(sandbox.Error); errors.As(err, &e) {
				got = e.Attribute
			}
			if got != c.attribute {
				t.Errorf("error %v, want one about %q", err, c.attribute)
			}
		})
	}
}
