//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

func TestClaudeIsNotFedWhereThePolicyAllowsEverything(t *testing.T) {
	t.Parallel()
	c := newClaude(t, modelserver.Script{
		modelserver.Use("Write", map[string]any{"file_path": "notes.txt", "content": "x"}),
		bash("cat notes.txt && touch made"),
		modelserver.Say("done"),
	}).free()
	events := c.run("run", "--json", "--run-id", "r", "--approve", "no", "Do it").want(t, 0).events(t)
	smooth(t, events)
	if got := c.file("notes.txt") + c.file("made"); got != "x" {
		t.Errorf("the files hold %q", got)
	}
	for _, name := range []string{"approval.requested", "approval.decided"} {
		if got := find(events, "CUSTOM", name); len(got) != 0 {
			t.Errorf("%s: %s", name, got[0].Event.Value)
		}
	}
	if log := c.run("logs", "r").want(t, 0).stdout; !strings.Contains(log, `"subtype":"init"`) || !strings.Contains(log, `"type":"result"`) {
		t.Errorf("the journal isn't whole: %s", clip(log))
	}
}

// TestClaudeIsTakenOver kills the driver and its plugins while Claude Code waits
// for its model. It goes on alone; whoever looks next takes the run over. Nobody
// sends its prompt again: not the takeover, not a later look, not the next turn.
func TestClaudeIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, when := range []struct {
		name  string
		ended bool // the agent has ended when the run is taken over
	}{
		{"while it works", false},
		{"after it has ended", true},
	} {
		t.Run(when.name, func(t *testing.T) {
			t.Parallel()
			gate, prompt := make(chan struct{}), word()
			c := newClaude(t, modelserver.Script{
				bash("echo x >>made"),
				{Parts: []modelserver.Part{modelserver.Text("holding"), modelserver.Until(gate), modelserver.Text(" over")}},
				modelserver.Say("gone on"),
			}).free()
			c.run("run", "--detach", "--run-id", "r", "--thread", "t", "Begin "+prompt).want(t, 0)
			until(t, 20*time.Second, "the model holds its answer back", func() bool { return len(c.model.Requests()) == 2 })
			c.killDriver("r")
			c.pluginsGone()
			if when.ended {
				close(gate)
				until(t, 20*time.Second, "the agent has ended", func() bool { return len(c.tree()) == 0 })
			}
			reader := c.start("attach", "--json", "r")
			if !when.ended {
				reader.await("holding")
				until(t, 20*time.Second, "the run is taken over", func() bool { return len(c.named("drive r")) == 1 })
				if len(c.tree()) == 0 {
					t.Error("the agent doesn't work any more")
				}
				close(gate)
			}
			events := reader.ends().want(t, 0).events(t)
			smooth(t, events)
			if got, want := text(events), "I'll use Bash.holding over"; got != want {
				t.Errorf("the agent said %q, want %q", got, want)
			}
			if got := c.file("made"); got != "x\n" {
				t.Errorf("the file holds %q: the command ran once", got)
			}
			c.run("attach", "r").want(t, 0)
			if n := len(c.model.Requests()); n != 2 {
				t.Errorf("the model was asked %d times, want 2", n)
			}
			c.run("run", "--thread", "t", "Go on").want(t, 0)
			body := string(c.model.Asked(modelserver.Main)[2].Body)
			if n := strings.Count(body, prompt); n != 1 {
				t.Errorf("the model of the next turn has the prompt %d times", n)
			}
		})
	}
}
