//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// trial is what the agent does in every run that is disturbed here: it prints,
// waits for the test, prints more, and ends with a code and last words. The
// file that it appends to shows how often it was started.
const trial = "append starts\nsay before\nlines 300\nawait go\nlines 300\nstderr last words\nsay after\nexit 3"

// beforeGo is the least number of events in the log once the agent waits.
const beforeGo = 304

// kills is how many of the points that are tried for each program fall to one
// test, in tenths. Together they are 10; `make soak` asks for more.
func kills(t *testing.T, tenths int) int {
	t.Helper()
	text := os.Getenv("SANDLOT_E2E_KILLS")
	if text == "" {
		return tenths
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("SANDLOT_E2E_KILLS is %q: a number of points is wanted", text)
	}
	return max(1, n*tenths/10)
}

// chance picks points. A failure is repeated with the seed that it prints.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SANDLOT_E2E_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SANDLOT_E2E_SEED: %v", err)
		}
	}
	t.Logf("SANDLOT_E2E_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// some are n points in random order: each once before any comes again.
func some(r *rand.Rand, points []string, n int) []string {
	var all []string
	for len(all) < n {
		round := slices.Clone(points)
		r.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		all = append(all, round...)
	}
	return all[:n]
}

// told are the events of `attach --json` but for what a disturbance may add:
// phases, setup and warnings of the host. Their bytes are as they came.
func told(t *testing.T, r ran) []string {
	t.Helper()
	r.events(t) // in order, each once, from 1
	var all []string
	for line := range strings.Lines(r.stdout) {
		var e struct {
			Type  string
			Event json.RawMessage
		}
		var kind struct {
			Type, Name string
			Value      struct{ Code string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type != "event" {
			continue
		}
		if err := json.Unmarshal(e.Event, &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Name == "sandbox.phase" || kind.Name == "setup.output" || kind.Name == "warning" && kind.Value.Code == "plugin_restarted" {
			continue
		}
		if kind.Name == "file.changed" { // it holds a process id, and the test's own file if that came late
			if n := strings.Count(string(e.Event), "+start "); n != 1 {
				t.Errorf("the diff tells of %d starts: %s", n, e.Event)
			}
			e.Event = json.RawMessage(kind.Name)
		}
		all = append(all, string(e.Event))
	}
	ends := 0
	for _, e := range all {
		if strings.HasPrefix(e, `{"type":"RUN_FINISHED"`) || strings.HasPrefix(e, `{"type":"RUN_ERROR"`) {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("%d events end the run", ends)
	}
	return all
}

// begin starts the run that is to be disturbed.
func (g *gate) begin() {
	g.t.Helper()
	g.run("run", "--detach", "--run-id", "r", "--thread", "t", trial).want(g.t, 0)
}

// waits returns once the agent waits and all that it said before is in the log.
func (g *gate) waits() {
	g.t.Helper()
	db := g.database()
	until(g.t, 20*time.Second, "the agent waits for the test", func() bool { return g.logged(db) >= beforeGo })
}

// letGo lets the agent go on as soon as there is a sandbox for it.
func (g *gate) letGo() {
	g.t.Helper()
	g.give("go")
}

// give makes a file that the agent waits for, as soon as there is a sandbox.
func (g *gate) give(name string) {
	g.t.Helper()
	g.gave = append(g.gave, name)
	until(g.t, 20*time.Second, "there is a sandbox", g.given)
}

// given makes sure that the files which the agent was given are there: a sandbox
// whose making was disturbed may be made anew.
func (g *gate) given() bool {
	roots := g.roots()
	for _, name := range g.gave {
		if len(roots) != 1 || os.WriteFile(filepath.Join(roots[0], name), nil, 0o600) != nil {
			return false
		}
	}
	return true
}

// finish lets the agent end and returns the log of its run, and with it what the
// journal holds.
func (g *gate) finish() []string {
	g.t.Helper()
	reader := g.start("attach", "--json", "r")
	g.letGo() // who doesn't wait for it doesn't mind
	until(g.t, 60*time.Second, "the run ends", func() bool {
		select {
		case <-reader.done:
			return true
		default:
			g.given()
			return false
		}
	})
	events := told(g.t, reader.ends().want(g.t, 3))
	if n := strings.Count(g.file("starts"), "\n"); n != 1 {
		g.t.Errorf("the agent was started %d times", n)
	}
	if got := g.file("setups"); got != "x\n" {
		g.t.Errorf("setup of the sandbox ran %q", got)
	}
	g.cleaned()
	g.seen = g.calls()
	return append(events, "the journal: "+g.run("logs", "r").want(g.t, 0).stdout)
}

// cleaned waits until the driver of the run, which has ended, has looked after
// what the run leaves.
func (g *gate) cleaned() {
	g.t.Helper()
	until(g.t, 20*time.Second, "the driver has cleaned up", func() bool { return len(g.named("drive r")) == 0 })
}

// undisturbed is the trial as it should be: its events, and the calls of the
// provider that come before and after the agent is let go.
func undisturbed(t *testing.T) (events, before, after []string) {
	t.Helper()
	g := newGate(t)
	g.begin()
	g.waits()
	n := len(g.calls())
	events = g.finish()
	for i, call := range g.seen {
		switch {
		case slices.Contains(g.seen[:i], call):
		case i < n:
			before = append(before, call)
		default:
			after = append(after, call)
		}
	}
	return events, before, after
}

// disturb kills a program while the provider stands at a call, and returns the
// log of the run as others have ended it.
func disturb(t *testing.T, victim, call string, after bool) []string {
	t.Helper()
	g := newGate(t)
	g.hold(call)
	g.begin()
	if after {
		g.letGo()
	}
	provider := g.await()
	switch victim {
	case "driver":
		g.killDriver("r")
		g.pluginsGone()
	case "provider":
		kill(t, provider)
	default:
		for _, p := range g.named("sandlot-harness-minimal") {
			kill(t, p.pid)
		}
	}
	g.open()
	return g.finish()
}

// TestWhoeverIsKilledAtACallTheLogIsTheSame kills one program of a run while
// the provider stands before or after one of the host's calls: between two of
// them nothing outside of the driver changes but the store.
func TestWhoeverIsKilledAtACallTheLogIsTheSame(t *testing.T) {
	t.Parallel()
	want, before, after := undisturbed(t)
	r := chance(t)
	for _, victim := range []string{"driver", "provider", "harness"} {
		for i, call := range some(r, slices.Concat(before, after), kills(t, 6)) {
			t.Run(fmt.Sprintf("%s %d %s", victim, i, call), func(t *testing.T) {
				if diff := cmp.Diff(want, disturb(t, victim, call, slices.Contains(after, call))); diff != "" {
					t.Errorf("the log differs from that of a run that nobody disturbed:\n%s", clip(diff))
				}
			})
		}
	}
}

// TestATakeoverIsTakenOver kills a driver that follows a run for a dead one, at
// each of its own calls. The reader that started it starts the next.
func TestATakeoverIsTakenOver(t *testing.T) {
	t.Parallel()
	want, _, _ := undisturbed(t)
	orphan := func(t *testing.T) *gate {
		g := newGate(t)
		g.begin()
		g.waits()
		g.killDriver("r")
		g.pluginsGone()
		return g
	}
	whole := orphan(t)
	n := len(whole.calls())
	if diff := cmp.Diff(want, whole.finish()); diff != "" {
		t.Fatalf("a takeover that nobody disturbs:\n%s", clip(diff))
	}
	calls := slices.Compact(slices.Sorted(slices.Values(whole.seen[n:])))
	for i, call := range some(chance(t), calls, kills(t, 5)) {
		t.Run(fmt.Sprintf("%d %s", i, call), func(t *testing.T) {
			g := orphan(t)
			g.hold(call)
			g.letGo()
			reader := g.start("attach", "r")
			provider := g.await()
			g.killDriver("r")
			ended(t, provider)
			g.open()
			reader.ends().want(t, 3)
			if diff := cmp.Diff(want, g.finish()); diff != "" {
				t.Errorf("the log differs from that of a run that nobody disturbed:\n%s", clip(diff))
			}
		})
	}
}

// steps is how often the agent of stepwise waits, stepLines how many lines it
// prints then; each is an event.
const (
	steps     = 8
	stepLines = 61
)

// stepwise is an agent that prints in steps and waits for the test before each.
func stepwise() string {
	lines := []string{"append starts"}
	for i := range steps {
		lines = append(lines, fmt.Sprint("await step", i), "lines 60", "say more")
	}
	return strings.Join(append(lines, "exit 3"), "\n")
}

// step lets the agent of stepwise print once more.
func (g *gate) step(i int) {
	g.t.Helper()
	g.give(fmt.Sprint("step", i))
}

// TestWhoeverIsKilledInTheMiddleOfOutputTheLogIsTheSame kills a program at the
// moment when the agent, after a number of steps that are in the log, prints.
func TestWhoeverIsKilledInTheMiddleOfOutputTheLogIsTheSame(t *testing.T) {
	t.Parallel()
	inSteps := func(t *testing.T, kill func(g *gate), at int) []string {
		g := newGate(t)
		g.run("run", "--detach", "--run-id", "r", "--thread", "t", stepwise()).want(g.t, 0)
		db := g.database()
		for i := range steps {
			if i == at {
				until(g.t, 20*time.Second, "the log has what was printed", func() bool {
					return g.number(db, `SELECT coalesce(sum(held), 0) FROM events WHERE run = 'r' AND source = 'agent'`) >= int64(at*stepLines)
				})
				g.step(i)
				kill(g)
			}
			g.step(i)
		}
		return g.finish()
	}
	want := inSteps(t, nil, steps)
	r := chance(t)
	for _, victim := range []string{"drive r", "sandlot-provider-localprocess", "sandlot-harness-minimal"} {
		for i := range kills(t, 4) {
			at := r.IntN(steps)
			t.Run(fmt.Sprintf("%s, %d, at step %d", victim, i, at), func(t *testing.T) {
				got := inSteps(t, func(g *gate) {
					for _, p := range g.named(victim) {
						_ = syscall.Kill(p.pid, syscall.SIGKILL) // at the last step it may have ended
					}
				}, at)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the log differs from that of a run that nobody disturbed:\n%s", clip(diff))
				}
			})
		}
	}
}
