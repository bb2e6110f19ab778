//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestClaudeAsksForPermission answers at a terminal and from elsewhere. Unlike
// others, Claude Code goes on after a denial, so that its run is fine.
func TestClaudeAsksForPermission(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		allowed bool
		answer  func(t *testing.T, c *claude, command string)
	}{
		{"yes at the terminal", true, atTheTerminal("y\n", "allowed by")},
		{"no at the terminal", false, atTheTerminal("n\n", "denied by")},
		{"yes from elsewhere", true, fromElsewhere("approve")},
		{"no from elsewhere", false, fromElsewhere("deny")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			made, over := word(), word()
			command := "git config -f " + made + " a.b c"
			claude := newClaude(t, modelserver.Script{bash(command), modelserver.Say(over)})
			c.answer(t, claude, command)
			events := claude.run("attach", "--json", "r").want(t, 0).events(t)
			smooth(t, events)
			if text(events) != "I'll use Bash."+over {
				t.Errorf("the agent said %q", text(events))
			}
			_, err := os.Stat(filepath.Join(claude.root(), made))
			if ran := err == nil; ran != c.allowed {
				t.Errorf("the command ran: %v, want %v", ran, c.allowed)
			}
			if got := claude.results(); len(got) != 1 || strings.Contains(got[0], "denied by ") == c.allowed {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

func atTheTerminal(keys, shows string) func(*testing.T, *claude, string) {
	return func(t *testing.T, c *claude, command string) {
		term := c.terminal("run", "--run-id", "r", "Run")
		term.await("allow " + command + "?")
		term.await("[y/n, ")
		term.typed(keys)
		term.await(shows)
		if code := term.ends(); code != 0 {
			t.Errorf("exit code %d, and it shows\n%s", code, term.screen())
		}
	}
}

func fromElsewhere(verb string) func(*testing.T, *claude, string) {
	return func(t *testing.T, c *claude, _ string) {
		running := c.start("run", "--json", "--run-id", "r", "Run")
		running.await("approval.requested")
		c.run(verb, "r").want(t, 0)
		running.ends().want(t, 0)
	}
}

// inSubagent has the model give a task to a subagent, whose turns these are.
func inSubagent(turns ...modelserver.Turn) modelserver.Script {
	task := modelserver.Use("Agent", map[string]any{"description": "a part", "prompt": "Do your part", "subagent_type": "general-purpose", "run_in_background": false})
	return append(append(modelserver.Script{task}, turns...), modelserver.Say("my part is done"))
}

// TestADenyHoldsForClaude denies by rule what Claude Code would never ask about,
// and what it would; the agent's own calls, and those of its subagent. What the
// rules let pass shows that the calls were made at all.
func TestADenyHoldsForClaude(t *testing.T) {
	t.Parallel()
	attempts := []struct {
		turn   modelserver.Turn
		target string
		reason string // in what the model is told; empty: it is allowed
	}{
		{bash("cat there"), "cat there", "denied by policy rule commands.deny \"cat *\""},
		{bash("touch made-by-touch"), "touch made-by-touch", "denied by policy rule commands.deny \"touch *\""},
		{bash("ls"), "ls", ""},
		{modelserver.Use("Write", map[string]any{"file_path": "made-by-write", "content": "x"}), "made-by-write", "denied by policy rule file_write"},
		{modelserver.Use("Read", map[string]any{"file_path": "there"}), "", ""},
		{modelserver.Use("Edit", map[string]any{"file_path": "there", "old_string": "one", "new_string": "two"}), "there", "denied by policy rule file_write"},
	}
	var turns modelserver.Script
	for _, a := range attempts {
		turns = append(turns, a.turn)
	}
	for _, c := range []struct {
		name   string
		script modelserver.Script
		nested int // calls that another one started
	}{
		{"the agent's own calls", append(turns, modelserver.Say("over")), 0},
		{"those of a subagent", append(inSubagent(turns...), modelserver.Say("over")), len(turns)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claude := newClaude(t, c.script)
			claude.edit(`file_write = "allow"`, `file_write = "deny"`)
			claude.edit(`workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, `workspace "scratch" {
  secrets = [secret.ANTHROPIC_API_KEY]
  setup { run = ["echo one >there"] }
}`)
			claude.edit(`deny  = ["sudo *", `, `deny  = ["cat *", "touch *", "sudo *", `)
			events := claude.run("run", "--json", "--approve", "no", "Try").want(t, 0).events(t)
			smooth(t, events)
			var told []modelserver.Result
			for _, r := range claude.model.Asked(modelserver.Main) {
				if len(r.Results) == len(attempts) {
					told = r.Results
				}
			}
			if len(told) == 0 {
				t.Fatal("no request tells the model how all attempts ended")
			}
			for i, a := range attempts {
				if got := told[i].Text; a.reason != "" && !strings.Contains(got, a.reason) || a.reason == "" && strings.Contains(got, "denied") {
					t.Errorf("attempt %d: the model was told %q, want %q", i, got, a.reason)
				}
			}
			nested, starts := 0, find(events, "TOOL_CALL_START", "")
			for _, e := range starts {
				if e.Event.ParentToolCallID != "" && e.Event.ParentToolCallID == starts[0].Event.ToolCallID {
					nested++
				}
			}
			if nested != c.nested {
				t.Errorf("%d calls are told as the subagent's, want %d", nested, c.nested)
			}
			if got := claude.file("there"); got != "one\n" {
				t.Errorf("the file that was not to be edited holds %q", got)
			}
			for _, name := range []string{"made-by-touch", "made-by-write"} {
				if _, err := os.Stat(filepath.Join(claude.root(), name)); err == nil {
					t.Errorf("%s is there: what the policy denies has happened", name)
				}
			}
			i := 0
			for _, d := range find(events, "CUSTOM", "approval.decided") {
				var v struct{ Target, Decision, By string }
				d.value(&v)
				for i < len(attempts) && attempts[i].target == "" {
					i++
				}
				if want := map[bool]string{true: "allow", false: "deny"}[attempts[i].reason == ""]; i >= len(attempts) || filepath.Base(v.Target) != filepath.Base(attempts[i].target) && v.Target != attempts[i].target || v.Decision != want || v.By != "policy" {
					t.Errorf("decision %d is %+v, want %s of %q by policy", i, v, want, attempts[i].target)
				}
				i++
			}
			if i != len(attempts) {
				t.Errorf("%d attempts were decided, want %d", i, len(attempts))
			}
		})
	}
}

// TestClaudeAsksBeforeItWrites has the policy ask about files, and nobody say yes;
// nor to a command that names a secret, which is kept without it.
func TestClaudeAsksBeforeItWrites(t *testing.T) {
	t.Parallel()
	token := "token-" + word()
	c := newClaude(t, modelserver.Script{
		modelserver.Use("Write", map[string]any{"file_path": "made", "content": "x"}),
		bash("git config -f made a.b " + token),
		modelserver.Say("over"),
	})
	c.env = append(c.env, "TOKEN="+token)
	c.edit(`file_write = "allow"`, `file_write = "ask"`)
	c.edit(`workspace "scratch" { secrets = [`, "secret \"TOKEN\" { env = \"TOKEN\" }\nworkspace \"scratch\" { secrets = [secret.TOKEN, ")
	events := c.run("run", "--json", "--approve", "no", "Write").want(t, 0).events(t)
	smooth(t, events)
	if got := c.results(); len(got) != 2 || !strings.Contains(got[0], "denied by --approve no") || !strings.Contains(got[1], "denied by --approve no") {
		t.Errorf("the model was told %q", got)
	}
	var decided []string
	for _, e := range find(events, "CUSTOM", "approval.decided") {
		var v struct{ Kind, Target string }
		e.value(&v)
		decided = append(decided, v.Kind+" "+filepath.Base(v.Target))
	}
	if diff := cmp.Diff([]string{"file_write made", "command git config -f made a.b ***"}, decided); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(c.root(), "made")); err == nil {
		t.Error("the file is there though nobody allowed it")
	}
	c.nowhere(token)
}

// TestClaudeGoesOnWhereNobodyAnswers has its request run out.
func TestClaudeGoesOnWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	over := word()
	c := newClaude(t, modelserver.Script{bash("git config -f made a.b c"), modelserver.Say(over)})
	c.edit(`default    = "ask"`, "default    = \"ask\"\n  approval_timeout = \"1s\"")
	events := c.run("run", "--json", "Run").want(t, 0).events(t)
	smooth(t, events)
	if got := c.results(); len(got) != 1 || !strings.Contains(got[0], "denied: nobody answered in time") {
		t.Errorf("the model was told %q", got)
	}
	if !strings.HasSuffix(text(events), over) {
		t.Errorf("the agent said %q", text(events))
	}
	if _, err := os.Stat(filepath.Join(c.root(), "made")); err == nil {
		t.Error("the command ran though nobody allowed it")
	}
	var asked, decided struct{ Expires, At time.Time }
	find(events, "CUSTOM", "approval.requested")[0].value(&asked)
	find(events, "CUSTOM", "approval.decided")[0].value(&decided)
	if asked.Expires.IsZero() || decided.At.Before(asked.Expires.Truncate(time.Millisecond)) || time.Since(decided.At) > time.Minute {
		t.Errorf("it ran out at %s and was decided at %s", asked.Expires, decided.At)
	}
}

// TestAnAnswerThatIsTakenBackCountsNoMoreForClaude has it make one call three
// times: the first is asked about, the second is like it, and before the third
// the answer is taken back.
func TestAnAnswerThatIsTakenBackCountsNoMoreForClaude(t *testing.T) {
	t.Parallel()
	const command = "git config -f made a.b c"
	withdrawn := make(chan struct{})
	third := bash(command)
	third.Parts = append([]modelserver.Part{modelserver.Until(withdrawn)}, third.Parts...)
	c := newClaude(t, modelserver.Script{bash(command), bash(command), third, modelserver.Say("over")})
	running := c.start("run", "--json", "--run-id", "r", "Run")
	running.await("approval.requested")
	c.run("approve", "r", "--scope", "run").want(t, 0)
	until(t, 20*time.Second, "the second call was made", func() bool { return len(c.model.Asked(modelserver.Main)) == 3 })
	c.run("approvals", "--withdraw", "r-").want(t, 0)
	close(withdrawn)
	until(t, 20*time.Second, "it asks again", func() bool { return strings.Count(running.stdout.String(), "approval.requested") == 2 })
	c.run("deny", "r").want(t, 0)
	events := running.ends().want(t, 0).events(t)
	var decided []string
	for _, e := range find(events, "CUSTOM", "approval.decided") {
		var v struct{ Target, Decision, Scope string }
		e.value(&v)
		decided = append(decided, strings.Join([]string{v.Target, v.Decision, v.Scope}, " "))
	}
	if diff := cmp.Diff([]string{command + " allow run", command + " allow run", command + " deny once"}, decided); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if got := c.results(); len(got) != 3 || strings.Contains(got[0]+got[1], "denied") || !strings.Contains(got[2], "denied by ") {
		t.Errorf("the model was told %q", got)
	}
}

// TestTwoCallsOfClaudeAtOnceAreAskedAboutOneByOne has it tell of the second while
// a person is asked about the first: the question stays at the end.
func TestTwoCallsOfClaudeAtOnceAreAskedAboutOneByOne(t *testing.T) {
	t.Parallel()
	first, second := "git config -f first a.b c", "git config -f second a.b c"
	turn := bash(first)
	turn.Parts = append(turn.Parts, bash(second).Parts[1])
	c := newClaude(t, modelserver.Script{turn, modelserver.Say("over")})
	term := c.terminal("run", "Run")
	question := "allow " + first + "? [y/n, yr/nr: this run, yt/nt: this thread]\x1b[0m "
	term.await("Bash\x1b[0m " + second)
	until(t, 20*time.Second, "the question stands at the end", func() bool { return strings.HasSuffix(term.screen(), question) })
	term.typed("y\n")
	term.await("allow " + second + "?")
	term.typed("y\n")
	term.await("over")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d, and it shows\n%s", code, term.screen())
	}
	if c.file("first") != c.file("second") {
		t.Error("not both commands ran")
	}
}
