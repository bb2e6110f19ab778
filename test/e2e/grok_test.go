//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// grok is a stage with the real Grok Build, whose model is a script. Its project
// is examples/grok.hcl as it stands: only the environment of sandlot says where
// the model's API is, and with which key.
type grok struct {
	*stage
	model *modelserver.Server
}

func newGrok(t *testing.T, script modelserver.Script) *grok {
	t.Helper()
	program := filepath.Join(top(), ".cache", "agents", "bin", "grok")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("this test runs the real Grok Build: %v; install it with: make agents", err)
	}
	model := modelserver.Start(t, modelserver.Grok(), script)
	g := &grok{stage: newStage(t, example(t, "grok.hcl")), model: model}
	g.env = append(g.env, "PATH="+agentPath(t, "grok", program)+":"+built, "XAI_API_KEY="+model.Key())
	for _, name := range baseURLs() {
		g.env = append(g.env, name+"="+model.URL())
	}
	return g
}

// example is the text of a file of examples/.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top(), "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// agentPath is a folder with this program under a name, with bash, in which
// agents run commands, and with other programs of the machine.
func agentPath(t *testing.T, name, program string, others ...string) string {
	t.Helper()
	path := t.TempDir()
	place := func(name, target string) {
		if err := os.Symlink(target, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	place(name, program)
	for _, other := range append(others, "bash") {
		found, err := exec.LookPath(other)
		if err != nil {
			t.Fatal(err)
		}
		place(other, found)
	}
	return path
}

// baseURLs are the variables that tell Grok where its services are.
func baseURLs() []string {
	return []string{"GROK_XAI_API_BASE_URL", "XAI_API_BASE_URL", "GROK_MODELS_BASE_URL", "GROK_CLI_CHAT_PROXY_BASE_URL"}
}

// shell is a turn in which the model has a command run.
func shell(command string) modelserver.Turn {
	return modelserver.Use("run_terminal_command", map[string]any{"command": command, "description": "as the test says"})
}

// smooth fails the test if a turn that went well has warnings, or something of
// the agent that has no translation.
func smooth(t *testing.T, events []event) {
	t.Helper()
	whole(t, events)
	for _, e := range append(find(events, "CUSTOM", "warning"), find(events, "RAW", "")...) {
		t.Errorf("%s: %s", e.Event.Type, e.Event.Value)
	}
}

func TestGrokAnswers(t *testing.T) {
	t.Parallel()
	said, asked := word(), word()
	answer := modelserver.Say("Hello ", "from ", said, ".")
	answer.Usage = modelserver.Usage{Input: 321, Output: 45}
	g := newGrok(t, modelserver.Script{answer})
	events := g.run("run", "--json", "Say hello, "+asked).want(t, 0).events(t)
	smooth(t, events)
	if got, want := text(events), "Hello from "+said+"."; got != want {
		t.Errorf("the agent said %q, want %q", got, want)
	}
	var got struct{ Input, Output, Total int }
	if err := json.Unmarshal(events[len(events)-1].Event.Result.Usage, &got); err != nil || got.Input != 321 || got.Output != 45 || got.Total != 366 {
		t.Errorf("usage %+v, %v", got, err)
	}
	if got := g.model.Asked(modelserver.Main); len(got) != 1 || !strings.Contains(string(got[0].Body), asked) {
		t.Errorf("the model was asked %d times, and not for %s", len(got), asked)
	}
}

func TestGrokEditsFiles(t *testing.T) {
	t.Parallel()
	before, after := word(), word()
	g := newGrok(t, modelserver.Script{
		modelserver.Use("write", map[string]any{"file_path": "notes.txt", "content": "one\n" + before + "\n三\n"}),
		modelserver.Use("search_replace", map[string]any{"file_path": "notes.txt", "old_string": before, "new_string": after}),
		modelserver.Say("edited"),
	})
	events := g.run("run", "--json", "Edit").want(t, 0).events(t)
	smooth(t, events)
	if diff := cmp.Diff("one\n"+after+"\n三\n", g.file("notes.txt")); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if calls := find(events, "TOOL_CALL_START", ""); len(calls) != 2 {
		t.Errorf("%d tool calls, want 2", len(calls))
	}
	for _, d := range find(events, "CUSTOM", "approval.decided") {
		if !strings.Contains(string(d.Event.Value), `"rule":"file_write"`) {
			t.Errorf("an edit was decided by %s", d.Event.Value)
		}
	}
}

func TestGrokRunsACommandInTheSandbox(t *testing.T) {
	t.Parallel()
	g := newGrok(t, modelserver.Script{shell(`pwd >where && echo "made $((6*7))"`), modelserver.Say("ran")})
	r := g.run("run", "--json", "--approve", "yes", "Run").want(t, 0)
	events := r.events(t)
	smooth(t, events)
	if got := strings.TrimSpace(g.file("where")); got != g.root() {
		t.Errorf("the command ran in %q, want %q", got, g.root())
	}
	if got := find(events, "TOOL_CALL_RESULT", ""); len(got) != 1 || got[0].Event.Content != "made 42\n" || got[0].Event.Error != "" {
		t.Errorf("results %+v", got)
	}
	asked := g.model.Asked(modelserver.Main)
	if results := asked[len(asked)-1].Results; len(results) != 1 || !strings.Contains(results[0].Text, "made 42") {
		t.Errorf("the model was told %+v", results)
	}
}

func TestASecondTurnWithGrokGoesOn(t *testing.T) {
	t.Parallel()
	first, second, third := word(), word(), word()
	g := newGrok(t, modelserver.Script{modelserver.Say("I say ", first), modelserver.Say("and ", second)})
	session := func(events []event) string {
		smooth(t, events)
		found := find(events, "CUSTOM", "acp.session-id")
		if len(found) != 1 {
			t.Fatalf("%d sessions", len(found))
		}
		return string(found[0].Event.Value)
	}
	one := g.run("run", "--json", "--thread", "t", "Begin "+third).want(t, 0).events(t)
	two := g.run("run", "--json", "--thread", "t", "Go on").want(t, 0).events(t)
	if a, b := session(one), session(two); a != b {
		t.Errorf("the second turn has the session %s, the first had %s", b, a)
	}
	if got := text(two); got != "and "+second {
		t.Errorf("the second turn says %q: only what is new belongs to it", got)
	}
	body := string(g.model.Asked(modelserver.Main)[1].Body)
	for _, w := range []string{third, first, "Go on"} {
		if !strings.Contains(body, w) {
			t.Errorf("the model of the second turn doesn't know %q", w)
		}
	}
}

func TestGrokUsesTheModelOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model string
		code        int
		used, says  string
	}{
		{"the other one that it has", "grok-build-0.2", 0, "grok-build-0.2", ""},
		{"one that it doesn't have", "grok-99", 3, "", "grok-99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // Grok waits for 2 s before it exits
			var script modelserver.Script
			if c.used != "" {
				script = modelserver.Script{modelserver.Say("hello")}
			}
			g := newGrok(t, script)
			g.edit(`harness "acp" "grok" {`, `harness "acp" "grok" {`+"\n  model = \""+c.model+"\"")
			r := g.run("run", "Hello").want(t, c.code)
			if !strings.Contains(r.stderr, c.says) {
				t.Errorf("stderr: %s", r.stderr)
			}
			var used []string
			for _, q := range g.model.Asked(modelserver.Main) {
				used = append(used, q.Model)
			}
			if got := strings.Join(used, " "); got != c.used {
				t.Errorf("the models %q were used, want %q", got, c.used)
			}
		})
	}
}
