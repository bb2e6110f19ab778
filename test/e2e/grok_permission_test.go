//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestGrokAsksForPermission answers by flag, and by hand at a terminal. Grok
// ends its turn at a denial, which makes the run `denied`.
func TestGrokAsksForPermission(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		allowed bool
		answer  func(t *testing.T, g *grok, command string) (code int, shown string)
	}{
		{"yes by flag", true, byFlag("yes")},
		{"no by flag", false, byFlag("no")},
		{"yes at the terminal", true, byHand("y\n", "allowed by")},
		{"no at the terminal", false, byHand("n\n", "denied by")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // Grok waits for 2 s before it exits
			made, over := word(), word()
			command := "git init -q " + made
			script := modelserver.Script{shell(command), modelserver.Say(over)}
			g := newGrok(t, script)
			code, shown := c.answer(t, g, command)
			_, err := os.Stat(filepath.Join(g.root(), made, ".git"))
			if ran := err == nil; ran != c.allowed {
				t.Errorf("the command ran: %v, want %v", ran, c.allowed)
			}
			if c.allowed {
				if code != 0 || !strings.Contains(shown, over) {
					t.Errorf("exit code %d, and it shows\n%s", code, shown)
				}
				whole(t, g.run("attach", "--json", "r").want(t, 0).events(t))
				return
			}
			if code != 5 || !strings.Contains(shown, "after a denial") || !strings.Contains(shown, command) {
				t.Errorf("exit code %d, want 5 and why; it shows\n%s", code, shown)
			}
			events := g.run("attach", "--json", "r").want(t, 5).events(t)
			whole(t, events)
			if last := events[len(events)-1].Event; last.Code != "denied" {
				t.Errorf("the run ends with %s: %s", last.Code, last.Message)
			}
			// The next turn's model sees what was denied, and that run is fine.
			g.run("run", "--thread", "t", "Go on").want(t, 0)
			asked := g.model.Asked(modelserver.Main)
			if got := asked[len(asked)-1].Results; len(got) != 1 || !strings.Contains(got[0].Text, "rejected") {
				t.Errorf("the model was told %+v", got)
			}
		})
	}
}

func byFlag(approve string) func(*testing.T, *grok, string) (int, string) {
	return func(_ *testing.T, g *grok, _ string) (int, string) {
		r := g.run("run", "--thread", "t", "--run-id", "r", "--approve", approve, "Run")
		return r.code, r.stdout + r.stderr
	}
}

func byHand(keys, shows string) func(*testing.T, *grok, string) (int, string) {
	return func(_ *testing.T, g *grok, command string) (int, string) {
		term := g.terminal("run", "--thread", "t", "--run-id", "r", "Run")
		term.await(command)
		term.await("[y/n, ")
		term.typed(keys)
		term.await(shows)
		return term.ends(), term.screen()
	}
}

// TestADenyHoldsForGrok has the policy deny what --approve yes would allow.
func TestADenyHoldsForGrok(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, now string // of the configuration
		turn           modelserver.Turn
	}{
		{"a command", `deny  = ["rm -rf *"]`, `deny  = ["git init *"]`, shell("git init -q made")},
		{"an edit", `file_write = "allow"`, `file_write = "deny"`, modelserver.Use("write", map[string]any{"file_path": "made", "content": "x"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // Grok waits for 2 s before it exits
			g := newGrok(t, modelserver.Script{c.turn})
			g.edit(c.old, c.now)
			events := g.run("run", "--json", "--approve", "yes", "Run").want(t, 5).events(t)
			whole(t, events)
			if _, err := os.Stat(filepath.Join(g.root(), "made")); err == nil {
				t.Error("what the policy denies has happened")
			}
			if got := find(events, "CUSTOM", "approval.decided"); len(got) != 1 || !strings.Contains(string(got[0].Event.Value), `"by":"policy"`) {
				t.Errorf("decisions: %+v", got)
			}
		})
	}
}

// TestGrokDoesNotAskAboutWhatItHoldsHarmless holds what docs/agents.md says: a
// rule for such a command has no effect. If this fails, Grok has come to ask.
func TestGrokDoesNotAskAboutWhatItHoldsHarmless(t *testing.T) {
	t.Parallel()
	g := newGrok(t, modelserver.Script{shell("touch made"), modelserver.Say("over")})
	g.edit(`deny  = ["rm -rf *"]`, `deny  = ["touch *"]`)
	events := g.run("run", "--json", "--approve", "no", "Run").want(t, 0).events(t)
	whole(t, events)
	if got := find(events, "CUSTOM", "approval.decided"); len(got) != 0 {
		t.Errorf("decisions: %s", got[0].Event.Value)
	}
	if got := find(events, "TOOL_CALL_RESULT", ""); len(got) != 1 {
		t.Errorf("results: %+v", got)
	}
}
