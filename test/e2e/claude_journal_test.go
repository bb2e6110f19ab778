//go:build linux

package e2e

import (
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

func TestClaudeIsNotFedWhereThePolicyAllowsEverything(t *testing.T) {
	c := newClaude(t, modelserver.Script{
		modelserver.Use("Write", map[string]any{"file_path": "notes.txt", "content": "x"}),
		bash("cat notes.txt && touch made"),
		modelserver.Say("done"),
	}).free()
	events := c.run("run", "--json", "--approve", "no", "Do it").want(t, 0).events(t)
	smooth(t, events)
	if got := c.file("notes.txt") + c.file("made"); got != "x" {
		t.Errorf("the files hold %q", got)
	}
	for _, name := range []string{"approval.requested", "approval.decided"} {
		if got := find(events, "CUSTOM", name); len(got) != 0 {
			t.Errorf("%s: %s", name, got[0].Event.Value)
		}
	}
}
