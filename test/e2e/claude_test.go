//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

func TestClaudeAnswers(t *testing.T) {
	t.Parallel()
	said, asked := word(), word()
	answer := modelserver.Say("Hello ", "from ", said, ".")
	answer.Usage = modelserver.Usage{Input: 321, Output: 45}
	c := newClaude(t, modelserver.Script{answer})
	events := c.run("run", "--json", "Say hello, "+asked).want(t, 0).events(t)
	smooth(t, events)
	if got, want := text(events), "Hello from "+said+"."; got != want {
		t.Errorf("the agent said %q, want %q", got, want)
	}
	var got struct{ Input, Output, Total int }
	if err := json.Unmarshal(events[len(events)-1].Event.Result.Usage, &got); err != nil || got.Input != 321 || got.Output != 45 || got.Total != 366 {
		t.Errorf("usage %+v, %v", got, err)
	}
	if got := c.model.Asked(modelserver.Main); len(got) != 1 || !strings.Contains(string(got[0].Body), asked) {
		t.Errorf("the model was asked %d times, and not for %s", len(got), asked)
	}
}

// TestWhatTheHarnessBlockSaysReachesClaudesModel also has the prompts nowhere in
// arguments, as the launch is the same.
func TestWhatTheHarnessBlockSaysReachesClaudesModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, attributes string
		own              bool // the agent's own system prompt is there
	}{
		{"in place of its own prompt", `system_prompt = "You are ONE." append_system_prompt = "And TWO."`, false},
		{"beside its own prompt", `append_system_prompt = "And TWO."`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			one, two := word(), word()
			claude := newClaude(t, modelserver.Script{modelserver.Say("hello")})
			attributes := strings.NewReplacer("ONE", one, "TWO", two, " append", "\n  append").Replace(c.attributes)
			claude.harness(attributes + "\n  model = \"claude-sonnet-4-5\"\n  max_turns = 3")
			claude.run("run", "Say hello").want(t, 0)
			var body struct {
				Model  string
				System json.RawMessage
			}
			if err := json.Unmarshal(claude.model.Asked(modelserver.Main)[0].Body, &body); err != nil {
				t.Fatal(err)
			}
			system := string(body.System)
			if body.Model != "claude-sonnet-4-5" {
				t.Errorf("the model is %q", body.Model)
			}
			if strings.Contains(system, one) == c.own || !strings.Contains(system, two) || strings.Contains(system, "You are an agent working with the user") != c.own {
				t.Errorf("the system prompt: %s", clip(system))
			}
		})
	}
}

func TestClaudeEditsFilesAndRunsACommand(t *testing.T) {
	t.Parallel()
	before, after := word(), word()
	c := newClaude(t, modelserver.Script{
		modelserver.Use("Write", map[string]any{"file_path": "notes.txt", "content": "one\n" + before + "\n三\n"}),
		modelserver.Use("Edit", map[string]any{"file_path": "notes.txt", "old_string": before, "new_string": after}),
		bash(`pwd >where && echo "made $((6*7))"`),
		modelserver.Say("done"),
	})
	events := c.run("run", "--json", "--approve", "yes", "Edit and run").want(t, 0).events(t)
	smooth(t, events)
	if diff := cmp.Diff("one\n"+after+"\n三\n", c.file("notes.txt")); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if got := strings.TrimSpace(c.file("where")); got != c.root() {
		t.Errorf("the command ran in %q, want %q", got, c.root())
	}
	if told := c.results(); len(told) != 3 || told[2] != "made 42" {
		t.Errorf("the model was told %q", told)
	}
	if calls := find(events, "TOOL_CALL_START", ""); len(calls) != 3 {
		t.Errorf("%d tool calls, want 3", len(calls))
	}
	var rules []string
	for _, d := range find(events, "CUSTOM", "approval.decided") {
		var v struct{ Decision, By, Rule string }
		d.value(&v)
		rules = append(rules, v.By+" "+v.Decision+" "+v.Rule)
	}
	if diff := cmp.Diff([]string{"policy allow file_write", "policy allow file_write", "--approve yes allow default"}, rules); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if changed := find(events, "CUSTOM", "file.changed"); len(changed) != 1 || !strings.Contains(string(changed[0].Event.Value), after) {
		t.Errorf("the diff: %+v", changed)
	}
}

// TestClaudeAnswersByASchema has it say something beside the answer, in a turn
// that is fed anyway and in one that is fed for the schema alone.
func TestClaudeAnswersByASchema(t *testing.T) {
	t.Parallel()
	for _, free := range []bool{false, true} {
		t.Run(fmt.Sprintf("policy allows all: %v", free), func(t *testing.T) {
			t.Parallel()
			c := newClaude(t, modelserver.Script{bash("ls"), modelserver.Use("StructuredOutput", map[string]any{"n": 42, "why": "<a> & b"})})
			if free {
				c.free()
			}
			c.write("schema.json", `{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "why": {"type": "string"}}}`)
			r := c.run("run", "--run-id", "r", "--schema", "schema.json", "Count").want(t, 0)
			const answer = `{"n":42,"why":"<a> & b"}`
			if r.stdout != answer+"\n" {
				t.Errorf("stdout: %q", r.stdout)
			}
			if !strings.Contains(r.stderr, "I'll use Bash.") {
				t.Errorf("what the agent says isn't told: %s", r.stderr)
			}
			var offered struct {
				Tools []struct {
					Name   string
					Schema json.RawMessage `json:"input_schema"`
				}
			}
			if err := json.Unmarshal(c.model.Asked(modelserver.Main)[0].Body, &offered); err != nil {
				t.Fatal(err)
			}
			for _, tool := range offered.Tools {
				if tool.Name == "StructuredOutput" && !strings.Contains(string(tool.Schema), `"required":["n"]`) {
					t.Errorf("the model is asked for %s", tool.Schema)
				}
			}
			events := c.run("attach", "--json", "r").want(t, 0).events(t)
			var told struct{ Object json.RawMessage }
			if found := find(events, "CUSTOM", "structured-output.complete"); len(found) != 1 {
				t.Errorf("%d answers", len(found))
			} else if found[0].value(&told); string(told.Object) != answer {
				t.Errorf("the event has %s", told.Object)
			}
		})
	}
}
