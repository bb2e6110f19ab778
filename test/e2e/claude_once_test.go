//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestThePromptReachesTheModelOnceWhoeverDies kills the driver on the prompt's way
// from the store to the model. What the next one does is told by the run's end, and
// the model never gets the prompt twice.
func TestThePromptReachesTheModelOnceWhoeverDies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		free   bool            // the prompt is a file; else it goes through a pipe
		hold   string          // a call of the driver's
		then   func(g *fallen) // how far things go on after it
		code   int
		reason string
		times  int // that the model got it
	}{
		{"as a file, before the start", true, "before start agent-r", nil, 0, "", 1},
		{"as a file, after the start", true, "after start agent-r", nil, 0, "", 1},
		{"fed, before the start", false, "before start agent-r", nil, 0, "", 1},
		{"fed, after the start", false, "after start agent-r", (*fallen).begun, 3, "agent_lost", 0},
		{"fed, in the pipe", false, "before read out", (*fallen).inThePipe, 3, "agent_lost", 0},
		{"fed, with the model", false, "before read out", (*fallen).withTheModel, 3, "agent_lost", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newFallen(t, c.free, c.times)
			g.hold(c.hold)
			g.run("run", "--detach", "--run-id", "r", "--thread", "t", "Begin "+g.prompt).want(t, 0)
			g.await()
			if c.then != nil {
				c.then(g)
			}
			g.killDriver("r")
			g.pluginsGone()
			g.open()
			close(g.answer)
			events := g.run("attach", "--json", "r").want(t, c.code).events(t)
			whole(t, events)
			if last := events[len(events)-1].Event; last.Code != c.reason {
				t.Errorf("the run ends with %q: %s", last.Code, last.Message)
			}
			g.run("attach", "r").want(t, c.code)
			times := 0
			for _, r := range g.model.Requests() {
				times += strings.Count(string(r.Body), g.prompt)
			}
			if times != c.times {
				t.Errorf("the model got the prompt %d times, want %d", times, c.times)
			}
		})
	}
}

// fallen is a stage of Claude Code whose provider stops at calls.
type fallen struct {
	*gate
	model  *modelserver.Server
	prompt string        // what the prompt has that nothing else has
	answer chan struct{} // closed once the model may answer
}

func newFallen(t *testing.T, free bool, turns int) *fallen {
	t.Helper()
	plugins, err := gatedPlugins()
	must(t, err)
	answer := make(chan struct{})
	script := modelserver.Script{{Parts: []modelserver.Part{modelserver.Until(answer), modelserver.Text("done")}}}
	c := newClaude(t, script[:turns])
	if free {
		c.free()
	}
	g := &fallen{gate: &gate{stage: c.stage, dir: t.TempDir()}, model: c.model, prompt: word(), answer: answer}
	g.env = append(g.env, "SANDLOT_PLUGIN_DIR="+plugins, "SANDLOT_GATE="+g.dir)
	return g
}

// begun waits until the agent is started.
func (g *fallen) begun() {
	g.t.Helper()
	started := filepath.Join(filepath.Dir(g.root()), "state", "runs", "r", "started")
	until(g.t, 20*time.Second, "the agent is started", func() bool {
		_, err := os.Stat(started)
		return err == nil
	})
}

// inThePipe lets the driver write the prompt to an agent that doesn't read it.
func (g *fallen) inThePipe() {
	g.t.Helper()
	until(g.t, 20*time.Second, "the agent has answered the greeting", func() bool {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(g.root()), "state", "runs", "r", "out"))
		return err == nil && strings.Contains(string(data), `"control_response"`)
	})
	agent := g.agent()
	must(g.t, syscall.Kill(agent, syscall.SIGSTOP))
	g.open()
	pipe, err := os.Open(filepath.Join("/proc", strconv.Itoa(agent), "fd", "0"))
	must(g.t, err)
	defer pipe.Close()
	until(g.t, 20*time.Second, "the prompt is in the pipe", func() bool {
		n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
		return err == nil && n > len(g.prompt)
	})
}

// withTheModel lets the agent ask its model, which holds the answer back.
func (g *fallen) withTheModel() {
	g.t.Helper()
	g.open()
	until(g.t, 20*time.Second, "the model has the prompt", func() bool { return len(g.model.Asked(modelserver.Main)) == 1 })
}

// agent is the pid of Claude Code.
func (g *fallen) agent() int {
	g.t.Helper()
	found := slices.DeleteFunc(g.tree(), func(p process) bool {
		i := slices.Index(p.args, "-p")
		return i < 1 || filepath.Base(p.args[i-1]) != "claude" || slices.Contains(p.args, "-c")
	})
	if len(found) != 1 {
		g.t.Fatalf("there are %d agents: %v", len(found), found)
	}
	return found[0].pid
}
