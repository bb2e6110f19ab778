//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestClaudesSubagentInTheBackgroundIsWaitedFor has the agent end its turn while
// its subagent still works: Claude Code then makes it go on, and has a second
// result.
func TestClaudesSubagentInTheBackgroundIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, free := range []bool{false, true} {
		t.Run(fmt.Sprintf("policy allows all: %v", free), func(t *testing.T) {
			t.Parallel()
			task := map[string]any{"description": "a part", "prompt": "Do your part", "subagent_type": "general-purpose", "run_in_background": true}
			c := newClaude(t, modelserver.Script{
				modelserver.Use("Agent", task),
				modelserver.Say("said"), modelserver.Say("said"), // by the agent and the subagent, in any order
				modelserver.Say("gone on"),
			})
			if free {
				c.free()
			}
			events := c.run("run", "--json", "--run-id", "r", "Begin").want(t, 0).events(t)
			smooth(t, events)
			if !strings.HasSuffix(text(events), "gone on") {
				t.Errorf("the agent said %q", text(events))
			}
			if n := strings.Count(c.run("logs", "r").want(t, 0).stdout, `"type":"result"`); n != 2 {
				t.Errorf("%d results, want 2: the test needs an agent that went on", n)
			}
		})
	}
}

// TestWhatClaudeLeavesInTheBackgroundIsEnded has it wait for a command that does
// not end: the run is fine, and nothing is left.
func TestWhatClaudeLeavesInTheBackgroundIsEnded(t *testing.T) {
	t.Parallel()
	c := newClaude(t, modelserver.Script{
		modelserver.Use("Bash", map[string]any{"command": "while :; do echo x >>beat; sleep 0.1; done", "run_in_background": true}),
		modelserver.Say("left it"),
	})
	c.edit("policy    = policy.careful", "policy    = policy.careful\n  timeouts { after_result = \"1s\" }")
	events := c.run("run", "--json", "--approve", "yes", "Begin").want(t, 0).events(t)
	whole(t, events)
	if !strings.HasSuffix(text(events), "left it") || len(warnings(events, "forced_exit")) != 1 {
		t.Errorf("the agent said %q, warnings %+v", text(events), find(events, "CUSTOM", "warning"))
	}
	if left := c.tree(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	still(t, filepath.Join(c.root(), "beat"))
}
