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

// busy is a Grok in the middle of something, and how to see that it is.
type busy struct {
	name string
	turn modelserver.Turn
	beat string // a file that grows while a command of the agent runs; empty: none runs
}

// Grok runs commands in sessions of their own. The first ignores TERM; Grok ends
// it when it is canceled. The other has put itself into a group of its own, which
// Grok doesn't end.
func busies() []busy {
	return []busy{
		{name: "in the middle of a stream", turn: modelserver.Turn{Parts: []modelserver.Part{modelserver.Text("begun"), modelserver.Silence{}}}},
		{name: "in the middle of a command", turn: shell(`trap "" TERM; while :; do echo x >>beat; done`), beat: "beat"},
		{name: "in the middle of a command that put itself aside", turn: shell(`set -m; (trap "" TERM INT HUP; while :; do echo x >>beat; done) & wait`), beat: "beat"},
	}
}

// begin starts a run and waits until Grok is in the middle of it.
func (b busy) begin(t *testing.T) (*grok, *started) {
	t.Helper()
	g := newGrok(t, modelserver.Script{b.turn})
	running := g.start("run", "--json", "--run-id", "r", "--approve", "yes", "Begin")
	if b.beat == "" {
		running.await("begun")
		return g, running
	}
	running.await("TOOL_CALL_END")
	until(t, 20*time.Second, "the command runs", func() bool { return len(g.roots()) == 1 && size(filepath.Join(g.root(), b.beat)) > 0 })
	return g, running
}

// dead fails the test if the agent or something that it started still runs.
func (b busy) dead(t *testing.T, g *grok) {
	t.Helper()
	if left := g.agents(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if left := g.named("grok agent"); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if b.beat != "" {
		still(t, filepath.Join(g.root(), b.beat))
	}
}

func TestCancelStopsGrok(t *testing.T) {
	t.Parallel()
	for _, b := range busies() {
		t.Run(b.name, func(t *testing.T) {
			g, running := b.begin(t)
			if len(g.named("grok agent")) == 0 || len(g.agents()) == 0 {
				t.Fatal("no agent runs that could be stopped")
			}
			g.run("cancel", "r").want(t, 0)
			b.dead(t, g)
			events := running.ends().want(t, 4).events(t)
			whole(t, events)
			if last := events[len(events)-1].Event; last.Type != "RUN_ERROR" || last.Code != "canceled" {
				t.Errorf("the run ends with %s %s: %s", last.Type, last.Code, last.Message)
			}
		})
	}
}

// TestGrokEndsWithItsDriver kills the driver and its plugins: nobody is left who
// could answer the agent, so that the next who looks ends it and says so.
func TestGrokEndsWithItsDriver(t *testing.T) {
	t.Parallel()
	for _, b := range busies() {
		t.Run(b.name, func(t *testing.T) {
			g, running := b.begin(t)
			g.killDriver("r")
			g.pluginsGone()
			events := running.ends().want(t, 3).events(t)
			whole(t, events)
			b.dead(t, g)
			last := events[len(events)-1].Event
			if last.Code != "agent_lost" || !strings.Contains(last.Message, "agent lost with its driver") {
				t.Errorf("the run ends with %s: %s", last.Code, last.Message)
			}
			again := g.run("attach", "--json", "r").want(t, 3).events(t)
			if len(again) != len(events) {
				t.Errorf("attach shows %d events, the run had %d", len(again), len(events))
			}
		})
	}
}

func TestGrokKilledFromOutsideSaysSo(t *testing.T) {
	t.Parallel()
	b := busies()[0]
	g, running := b.begin(t)
	for _, p := range g.named("grok agent") {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may be gone with another
	}
	events := running.ends().want(t, 3).events(t)
	whole(t, events)
	b.dead(t, g)
	if last := events[len(events)-1].Event; last.Code != "crashed" || !strings.Contains(last.Message, "signal 9") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
}

func TestASilentModelOfGrokIsEndedByTheIdleClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		turn modelserver.Turn
	}{
		{"before the answer", modelserver.Turn{Parts: []modelserver.Part{modelserver.Silence{}}}},
		{"in the middle of it", busies()[0].turn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // Grok waits for 2 s before it exits
			g := newGrok(t, modelserver.Script{c.turn})
			g.edit("policy    = policy.careful", "policy    = policy.careful\n  timeouts { idle = \"3s\" }")
			events := g.run("run", "--json", "Wait").want(t, 3).events(t)
			whole(t, events)
			if last := events[len(events)-1].Event; last.Code != "idle_timeout" || !strings.Contains(last.Message, "no output for 3s") {
				t.Errorf("the run ends with %s: %s", last.Code, last.Message)
			}
			busy{}.dead(t, g)
		})
	}
}
