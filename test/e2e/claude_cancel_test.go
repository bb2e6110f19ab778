//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// absorbed is a Claude Code in the middle of something.
type absorbed struct {
	name  string
	turn  modelserver.Turn
	shows string // in the events, once it is
	beat  string // a file that grows while a command of the agent runs; empty: none runs
}

// Claude Code runs commands in sessions of their own. The first ignores signals;
// the second has put itself into one more session besides.
func absorbing() []absorbed {
	return []absorbed{
		{"in the middle of a command", bash(`trap "" TERM INT HUP; while :; do echo x >>beat; sleep 0.05; done`), "TOOL_CALL_END", "beat"},
		{"in the middle of a command that put itself aside", bash(`setsid sh -c 'trap "" TERM INT HUP; while :; do echo x >>beat; sleep 0.05; done' & wait`), "TOOL_CALL_END", "beat"},
		{"in the middle of a stream", modelserver.Turn{Parts: []modelserver.Part{modelserver.Text("begun"), modelserver.Silence{}}}, "begun", ""},
		{"while a request waits", bash("git config -f made a.b c"), "approval.requested", ""},
	}
}

// begin starts a run and waits until Claude Code is in the middle of it.
func (a absorbed) begin(t *testing.T) (*claude, *started) {
	t.Helper()
	c := newClaude(t, modelserver.Script{a.turn})
	args := []string{"run", "--json", "--run-id", "r", "Begin"}
	if a.beat != "" {
		args = append(args, "--approve", "yes")
	}
	running := c.start(args...)
	running.await(a.shows)
	if a.beat != "" {
		until(t, 20*time.Second, "the command runs", func() bool { return len(c.roots()) == 1 && size(filepath.Join(c.root(), a.beat)) > 0 })
	}
	return c, running
}

// dead fails the test if the agent or something that it started still runs. What
// removes the journal is a process there too, for a moment.
func (a absorbed) dead(t *testing.T, c *claude) {
	t.Helper()
	until(t, 20*time.Second, "nothing of the agent runs", func() bool { return len(c.tree()) == 0 })
	if a.beat != "" {
		still(t, filepath.Join(c.root(), a.beat))
	}
}

// TestCancelStopsClaude cancels by Ctrl-C and from elsewhere. The script has no
// other turn: a request that came later would fail the test.
func TestCancelStopsClaude(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name string
		do   func(c *claude, running *started)
	}{
		{"by Ctrl-C", func(_ *claude, running *started) { running.signal(syscall.SIGINT) }},
		{"from elsewhere", func(c *claude, _ *started) { c.run("cancel", "r").want(c.t, 0) }},
	} {
		for _, a := range absorbing() {
			t.Run(a.name+", "+way.name, func(t *testing.T) {
				t.Parallel()
				c, running := a.begin(t)
				if len(c.tree()) == 0 {
					t.Fatal("no agent runs that could be stopped")
				}
				asked := time.Now()
				way.do(c, running)
				until(t, 20*time.Second, "the agent's whole tree is dead", func() bool { return len(c.tree()) == 0 })
				t.Logf("the tree was dead after %s", time.Since(asked))
				a.dead(t, c)
				r := running.ends().want(t, 4)
				events := r.events(t)
				whole(t, events)
				if last := events[len(events)-1].Event; last.Type != "RUN_ERROR" || last.Code != "canceled" {
					t.Errorf("the run ends with %s %s: %s", last.Type, last.Code, last.Message)
				}
				if n := len(c.model.Requests()); n != 1 {
					t.Errorf("the model was asked %d times, want once", n)
				}
			})
		}
	}
}

// TestClaudeThatIsFedEndsWithItsDriver kills the driver and its plugins: nobody
// is left who could answer the agent, so that the next who looks ends it.
func TestClaudeThatIsFedEndsWithItsDriver(t *testing.T) {
	t.Parallel()
	a := absorbing()[0]
	c, running := a.begin(t)
	c.killDriver("r")
	c.pluginsGone()
	events := running.ends().want(t, 3).events(t)
	whole(t, events)
	a.dead(t, c)
	if last := events[len(events)-1].Event; last.Code != "agent_lost" || !strings.Contains(last.Message, "agent lost with its driver") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
	again := c.run("attach", "--json", "r").want(t, 3).events(t)
	if len(again) != len(events) {
		t.Errorf("attach shows %d events, the run had %d", len(again), len(events))
	}
	if n := len(c.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want once: the prompt was sent again", n)
	}
}
