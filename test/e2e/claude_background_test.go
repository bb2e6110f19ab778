//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestClaudesSubagentInTheBackgroundIsWaitedFor has the agent end its turn while
// its subagent still works: Claude Code then makes it go on, and has a second
// result.
func TestClaudesSubagentInTheBackgroundIsWaitedFor(t *testing.T) {
	for _, way := range []struct {
		name string
		free bool
	}{
		{"fed", false},
		{"not fed", true},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			task := map[string]any{"description": "a part", "prompt": "Do your part", "subagent_type": "general-purpose", "run_in_background": true}
			c := newClaude(t, modelserver.Script{
				modelserver.Use("Agent", task),
				modelserver.Say("said at once"), modelserver.Say("said at once"), // by the agent and the subagent, in any order
				modelserver.Say("gone on"),
			})
			if way.free {
				c.free()
			}
			r := c.run("run", "--json", "--run-id", "r", "Begin")
			t.Log(clip(r.stdout), r.stderr, r.code)
			events := r.want(t, 0).events(t)
			smooth(t, events)
			if !strings.HasSuffix(text(events), "gone on") {
				t.Errorf("the agent said %q", text(events))
			}
			log := c.run("logs", "r").want(t, 0).stdout
			t.Log(strings.Count(log, `"type":"result"`))
		})
	}
}

func TestWhatClaudeLeftInTheBackgroundIsEnded(t *testing.T) {
	for _, way := range []struct {
		name string
		free bool
	}{
		{"fed", false},
		{"not fed", true},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			c := newClaude(t, modelserver.Script{
				modelserver.Use("Bash", map[string]any{"command": "while :; do echo x >>beat; sleep 0.1; done", "run_in_background": true}),
				modelserver.Say("left it"),
			})
			if way.free {
				c.free()
			}
			r := c.run("run", "--json", "--run-id", "r", "--approve", "yes", "Begin")
			t.Log(clip(r.stdout), r.stderr, r.code)
			t.Log(c.tree())
		})
	}
}
