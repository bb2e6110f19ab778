//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestClaudeInAnotherFolderBeginsANewSession gives the thread another sandbox for
// its second turn: Claude Code would not find its session in that one's folder, so
// it isn't even asked to.
func TestClaudeInAnotherFolderBeginsANewSession(t *testing.T) {
	t.Parallel()
	asked := word()
	c := newClaude(t, modelserver.Script{modelserver.Say("one"), modelserver.Say("two")})
	c.run("run", "--thread", "t", "Begin "+asked).want(t, 0)
	c.edit(`secrets = [secret.ANTHROPIC_API_KEY] }`, "secrets = [secret.ANTHROPIC_API_KEY]\n  env = { A = \"b\" }\n}")
	c.edit(`workspace "scratch" { `, "workspace \"scratch\" {\n  ")
	r := c.run("run", "--thread", "t", "Go on").want(t, 0)
	if roots := c.roots(); len(roots) != 2 {
		t.Errorf("the turns were in %q", roots)
	}
	if !strings.Contains(r.stderr, "the agent's last session was in another sandbox") {
		t.Errorf("stderr: %s", r.stderr)
	}
	if body := string(c.model.Asked(modelserver.Main)[1].Body); !strings.Contains(body, `[user]\nBegin `+asked) {
		t.Errorf("the model isn't told the conversation: %s", clip(body))
	}
}

// TestClaudeWithoutItsSessionsBeginsANewOne takes Claude Code's sessions away
// between two turns of a thread, of an agent that is fed and of one that isn't.
func TestClaudeWithoutItsSessionsBeginsANewOne(t *testing.T) {
	t.Parallel()
	for _, fed := range []bool{true, false} {
		t.Run(fmt.Sprintf("fed: %v", fed), func(t *testing.T) {
			t.Parallel()
			asked, said, second := word(), word(), word()
			c := newClaude(t, modelserver.Script{modelserver.Say("I say ", said), modelserver.Say("and " + second)})
			if !fed {
				c.free()
			}
			c.run("run", "--thread", "t", "Begin "+asked).want(t, 0)
			for _, e := range c.env {
				if home, ok := strings.CutPrefix(e, "HOME="); ok {
					if err := os.RemoveAll(filepath.Join(home, ".claude", "projects")); err != nil {
						t.Fatal(err)
					}
				}
			}
			r := c.run("run", "--thread", "t", "--run-id", "r", "Go on").want(t, 0)
			if !strings.Contains(r.stderr, "begins a new one and is given the conversation so far") || !strings.Contains(r.stdout, "and "+second) {
				t.Errorf("stdout: %s\nstderr: %s", r.stdout, r.stderr)
			}
			requests := c.model.Asked(modelserver.Main)
			if len(requests) != 2 {
				t.Fatalf("the model was asked %d times, want once a turn", len(requests))
			}
			want := fmt.Sprintf(`The conversation so far:\n\n[user]\nBegin %s\n\n[assistant]\nI say %s\n\n[user, now]\nGo on`, asked, said)
			if !strings.Contains(string(requests[1].Body), want) {
				t.Errorf("the model isn't told %s:\n%s", want, clip(string(requests[1].Body)))
			}
		})
	}
}
