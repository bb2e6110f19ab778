//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestASecondTurnWithClaudeGoesOn has one turn fed and the other not: the
// session is the same.
func TestASecondTurnWithClaudeGoesOn(t *testing.T) {
	t.Parallel()
	first, second, third, fourth := word(), word(), word(), word()
	c := newClaude(t, modelserver.Script{
		bash("pwd; echo " + fourth), modelserver.Say("I say ", first),
		bash("pwd"), modelserver.Say("and ", second),
	})
	session := func(events []event) string {
		smooth(t, events)
		found := find(events, "CUSTOM", "claude-code.session-id")
		if len(found) != 1 {
			t.Fatalf("%d sessions", len(found))
		}
		return string(found[0].Event.Value)
	}
	one := c.run("run", "--json", "--thread", "t", "--approve", "yes", "Begin "+third).want(t, 0).events(t)
	c.free()
	two := c.run("run", "--json", "--thread", "t", "Go on").want(t, 0).events(t)
	if a, b := session(one), session(two); a != b {
		t.Errorf("the second turn has the session %s, the first had %s", b, a)
	}
	if got := text(two); got != "I'll use Bash.and "+second {
		t.Errorf("the second turn says %q: only what is new belongs to it", got)
	}
	body := string(c.model.Asked(modelserver.Main)[2].Body)
	for _, w := range []string{third, first, fourth, "Go on"} {
		if !strings.Contains(body, w) {
			t.Errorf("the model of the second turn doesn't know %q", w)
		}
	}
	if got := c.results(); len(got) != 2 || got[1] != c.root() || got[0] != c.root()+"\n"+fourth {
		t.Errorf("commands ran in %q, want both in %s", got, c.root())
	}
}
