//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mortal puts a plugin in place of another which is that one for its first
// starts, and is killed at every start after them. It returns how often it was
// started.
func (g *gate) mortal(plugin string, starts int) (count func() int) {
	g.t.Helper()
	dir, tally := g.t.TempDir(), filepath.Join(g.t.TempDir(), "starts")
	real := filepath.Join(built, "gated", plugin)
	script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = describe ] && exec %[1]s describe\necho >>%[2]s\n[ $(wc -l <%[2]s) -le %[3]d ] && exec %[1]s\nkill -9 $$\n", real, tally, starts)
	must(g.t, os.WriteFile(filepath.Join(dir, plugin), []byte(script), 0o700))
	for i, e := range g.env {
		if rest, ok := strings.CutPrefix(e, "SANDLOT_PLUGIN_DIR="); ok {
			g.env[i] = "SANDLOT_PLUGIN_DIR=" + dir + ":" + rest
		}
	}
	return func() int {
		data, err := os.ReadFile(tally)
		must(g.t, err)
		return strings.Count(string(data), "\n")
	}
}

func TestAPluginThatIsKilledAtEveryStartEndsTheRun(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	count := g.mortal("sandlot-provider-localprocess", 0)
	began := time.Now()
	r := g.run("run", "--json", "--run-id", "r", trial).want(t, 1)
	if end := last(t, r).Event; end.Code != "plugin_crashed" || !strings.Contains(end.Message, "killed") {
		t.Errorf("the run ends with %s: %q", end.Code, end.Message)
	}
	if n, restarts := count(), strings.Count(r.stdout, `"plugin_restarted"`); n != 4 || restarts != 3 {
		t.Errorf("the plugin was started %d times, with %d warnings; want 4 and 3", n, restarts)
	}
	if took := time.Since(began); took < 6200*time.Millisecond {
		t.Errorf("it was tried for %s only; the pauses are 0.2, 1 and 5 s", took)
	}
}

// TestAPluginThatKeepsDyingUnderAnAgentEndsBoth has a harness that works once, so
// that the agent starts, and never again.
func TestAPluginThatKeepsDyingUnderAnAgentEndsBoth(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	count := g.mortal("sandlot-harness-minimal", 1)
	g.begin()
	g.waits()
	for _, p := range g.named("gated/sandlot-harness-minimal") {
		kill(t, p.pid)
	}
	r := g.run("attach", "--json", "r").want(t, 1)
	if end := last(t, r).Event; end.Code != "plugin_crashed" {
		t.Errorf("the run ends with %s: %q", end.Code, end.Message)
	}
	if n := count(); n != 4 {
		t.Errorf("the plugin was started %d times, want 4", n)
	}
	if left := g.named("agent.sh"); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// TestProviderAndDriverKilledTogetherLoseNothing kills both at once, and the
// plugin first, so that nobody tells the driver's successor.
func TestProviderAndDriverKilledTogetherLoseNothing(t *testing.T) {
	t.Parallel()
	want, _, _ := undisturbed(t)
	for _, call := range []string{"before create", "after start setup", "before start agent-r", "after start agent-r"} {
		t.Run(call, func(t *testing.T) {
			g := newGate(t)
			g.hold(call)
			g.begin()
			provider := g.await()
			must(t, syscall.Kill(provider, syscall.SIGKILL))
			g.killDriver("r")
			g.pluginsGone()
			g.open()
			if diff := cmp.Diff(want, g.finish()); diff != "" {
				t.Errorf("the log differs:\n%s", clip(diff))
			}
		})
	}
}

// TestATerminalThatDiesLeavesTheRunGoing is the closed laptop: the reader of the
// run is gone, its driver isn't.
func TestATerminalThatDiesLeavesTheRunGoing(t *testing.T) {
	t.Parallel()
	want, _, _ := undisturbed(t)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			g := newGate(t)
			terminal := g.start("run", "--run-id", "r", "--thread", "t", trial)
			terminal.await("before")
			g.waits()
			must(t, terminal.cmd.Process.Signal(sig))
			terminal.ends()
			db := g.database()
			if epoch := g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`); epoch != 1 || len(g.named("drive r")) != 1 {
				t.Errorf("the driver is gone with the terminal")
			}
			if diff := cmp.Diff(want, g.finish()); diff != "" {
				t.Errorf("the log differs:\n%s", clip(diff))
			}
			if epoch := g.number(db, `SELECT epoch FROM runs WHERE id = 'r'`); epoch != 1 {
				t.Errorf("the run had %d drivers", epoch)
			}
		})
	}
}
