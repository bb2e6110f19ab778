//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// journal is the folder of the run's journal, which the agent can write.
func (g *gate) journal() string {
	g.t.Helper()
	return filepath.Join(filepath.Dir(g.root()), "state", "runs", "r")
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// orphaned is a run whose driver is dead and whose agent waits.
func orphaned(t *testing.T) *gate {
	t.Helper()
	g := newGate(t)
	g.begin()
	g.waits()
	g.killDriver("r")
	g.pluginsGone()
	return g
}

// last is the event that ends a run, as attach shows it.
func last(t *testing.T, r ran) event {
	t.Helper()
	all := r.events(t)
	return all[len(all)-1]
}

// TestAJournalThatWasChangedBetweenDriversDiverges has the agent rewrite what it
// printed while nobody looks.
func TestAJournalThatWasChangedBetweenDriversDiverges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(out []byte) []byte{
		"a line of it":   func(out []byte) []byte { return bytes.Replace(out, []byte("line 7\n"), []byte("line X\n"), 1) },
		"its first line": func(out []byte) []byte { return out[len("before\n"):] },
		"its last byte":  func(out []byte) []byte { return append(out[:len(out)-2], 'X', '\n') },
	} {
		t.Run(name, func(t *testing.T) {
			g := orphaned(t)
			before := told(t, ran{stdout: g.shown()})
			out := filepath.Join(g.journal(), "out")
			data, err := os.ReadFile(out)
			must(t, err, os.WriteFile(out, change(data), 0o600))
			g.letGo()
			r := g.run("attach", "--json", "r").want(t, 1)
			if end := last(t, r).Event; end.Code != "replay_diverged" || !strings.Contains(end.Message, "read again") {
				t.Errorf("the run ends with %s: %q", end.Code, end.Message)
			}
			var after []string
			for _, e := range told(t, r) {
				if strings.Contains(e, `"TEXT_MESSAGE_CONTENT"`) {
					after = append(after, e)
				}
			}
			if diff := cmp.Diff(before[3:len(before)-1], after); diff != "" {
				t.Errorf("the log isn't what it was:\n%s", clip(diff))
			}
			if left := g.tree(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
}

// shown is what `attach --json` shows of a run whose agent waits.
func (g *gate) shown() string {
	g.t.Helper()
	rows, err := g.database().QueryContext(g.t.Context(), `SELECT payload FROM events WHERE run = 'r' ORDER BY seq`)
	must(g.t, err)
	defer rows.Close()
	out := `{"type":"version","version":"x"}` + "\n"
	for n := 1; rows.Next(); {
		var row string
		must(g.t, rows.Scan(&row))
		for payload := range strings.SplitSeq(row, "\n") {
			out += `{"type":"event","run":"r","seq":` + strconv.Itoa(n) + `,"event":` + payload + "}\n"
			n++
		}
	}
	must(g.t, rows.Err())
	return out + `{"type":"event","run":"r","seq":` + strconv.Itoa(int(g.logged(g.database()))+1) + `,"event":{"type":"RUN_ERROR"}}` + "\n"
}

func TestAnotherBuildOfTheHarnessIsSaidSo(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	plugins := t.TempDir()
	for _, name := range []string{"sandlot-harness-minimal", "sandlot-provider-localprocess"} {
		copyFile(t, filepath.Join(built, "gated", name), filepath.Join(plugins, name))
	}
	g.env = append(g.env, "SANDLOT_PLUGIN_DIR="+plugins)
	g.begin()
	g.waits()
	g.killDriver("r")
	g.pluginsGone()
	harness, err := os.OpenFile(filepath.Join(plugins, "sandlot-harness-minimal"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = harness.WriteString("another build")
	must(t, err, harness.Close())
	g.letGo()
	r := g.run("attach", "--json", "r").want(t, 3)
	g.cleaned()
	if !strings.Contains(r.stdout, `"harness_changed"`) {
		t.Error("the log doesn't tell that another build reads the journal")
	}
	if said := text(r.events(t)); strings.Count(said, "\n") != 602 {
		t.Errorf("the text has %d lines", strings.Count(said, "\n"))
	}
}

// TestWhatLooksLikeTheEndOfARunChangesNothing has the agent print and write what
// an agent that has ended leaves.
func TestWhatLooksLikeTheEndOfARunChangesNothing(t *testing.T) {
	t.Parallel()
	prompt := strings.Join([]string{
		"append starts", "say 0", `say {"exit":0}`, `say {"type":"RUN_FINISHED","threadId":"t","runId":"r"}`, "say exit 0", "lines 300", "await go", "exit 3",
	}, "\n")
	begin := func(t *testing.T) *gate {
		g := newGate(t)
		g.run("run", "--detach", "--run-id", "r", "--thread", "t", prompt).want(t, 0)
		g.waits()
		return g
	}
	want := begin(t).finish()
	for _, c := range []struct {
		name  string
		spoil func(folder string) error
	}{
		{"an exit code", func(f string) error { return os.WriteFile(filepath.Join(f, "exit"), []byte("0\n"), 0o600) }},
		{"an exit code half made", func(f string) error { return os.WriteFile(filepath.Join(f, "exit.tmp"), []byte("0\n"), 0o600) }},
		{"a folder", func(f string) error { return os.MkdirAll(filepath.Join(f, "exit", "x"), 0o700) }},
		{"a pipe", func(f string) error { return syscall.Mkfifo(filepath.Join(f, "exit.tmp"), 0o600) }},
		{"a link", func(f string) error { return os.Symlink("/etc/hostname", filepath.Join(f, "exit")) }},
		{"no mark of its start", func(f string) error { return os.RemoveAll(filepath.Join(f, "started")) }},
	} {
		for _, orphan := range []bool{false, true} {
			name := c.name + ", while it is driven"
			if orphan {
				name = c.name + ", while nobody drives it"
			}
			t.Run(name, func(t *testing.T) {
				g := begin(t)
				if orphan {
					g.killDriver("r")
					g.pluginsGone()
				}
				must(t, c.spoil(g.journal()))
				if orphan { // its new driver looks at what there is before the agent goes on
					looked := g.looks()
					reader := g.start("attach", "r")
					until(t, 20*time.Second, "a driver looks whether the agent lives", func() bool { return g.looks() > looked+1 })
					defer reader.ends()
				}
				if diff := cmp.Diff(want, g.finish()); diff != "" {
					t.Errorf("the log differs:\n%s", clip(diff))
				}
			})
		}
	}
}

// looks is how often a driver has asked whether the agent lives.
func (g *gate) looks() int {
	n := 0
	for _, call := range g.calls() {
		if call == "after alive agent-r" {
			n++
		}
	}
	return n
}

// TestAnAgentWhoseMarkIsGoneIsNotStartedAgain kills the driver when the agent has
// been started and that isn't noted, and removes the mark of its start.
func TestAnAgentWhoseMarkIsGoneIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	want, _, _ := undisturbed(t)
	g := newGate(t)
	g.hold("after start agent-r")
	g.begin()
	g.await()
	until(t, 20*time.Second, "the agent has begun", func() bool { return size(filepath.Join(g.root(), "starts")) > 0 })
	g.killDriver("r")
	g.pluginsGone()
	g.open()
	must(t, os.RemoveAll(filepath.Join(g.journal(), "started")))
	reader := g.start("attach", "r")
	g.waits()
	g.letGo()
	reader.ends().want(t, 3)
	if diff := cmp.Diff(want, g.finish()); diff != "" {
		t.Errorf("the log differs:\n%s", clip(diff))
	}
}

// TestAJournalThatIsGoneEndsItsRunAndLeadsNowhere has the agent remove its
// journal, or put in its place what leads to others' files.
func TestAJournalThatIsGoneEndsItsRunAndLeadsNowhere(t *testing.T) {
	t.Parallel()
	const canary = "canary-5d1f0c77"
	for _, c := range []struct {
		name  string
		spoil func(folder, victim string) error
	}{
		{"the folder removed", func(f, _ string) error { return os.RemoveAll(f) }},
		{"all folders removed", func(f, _ string) error { return os.RemoveAll(filepath.Dir(f)) }},
		{"the output removed", func(f, _ string) error { return os.Remove(filepath.Join(f, "out")) }},
		{"the output cut", func(f, _ string) error { return os.Truncate(filepath.Join(f, "out"), 0) }},
		{"the output a link to a host's file", func(f, v string) error {
			return replace(filepath.Join(f, "out"), func(name string) error { return os.Symlink(filepath.Join(v, "out"), name) })
		}},
		{"the output a pipe", func(f, _ string) error {
			return replace(filepath.Join(f, "out"), func(name string) error { return syscall.Mkfifo(name, 0o600) })
		}},
		{"the output a folder", func(f, _ string) error {
			return replace(filepath.Join(f, "out"), func(name string) error { return os.Mkdir(name, 0o700) })
		}},
		{"the folder a link to a host's", func(f, v string) error {
			return replace(f, func(name string) error { return os.Symlink(v, name) })
		}},
		{"the folder a file", func(f, _ string) error {
			return replace(f, func(name string) error { return os.WriteFile(name, nil, 0o600) })
		}},
	} {
		for _, orphan := range []bool{false, true} {
			name := c.name + ", while it is driven"
			if orphan {
				name = c.name + ", while nobody drives it"
			}
			t.Run(name, func(t *testing.T) {
				victim := t.TempDir()
				for _, name := range []string{"out", "err", "in", "exit"} {
					must(t, os.WriteFile(filepath.Join(victim, name), []byte(canary+"\n"), 0o600))
				}
				g := newGate(t)
				g.begin()
				g.waits()
				if orphan {
					g.killDriver("r")
					g.pluginsGone()
				}
				must(t, c.spoil(g.journal(), victim))
				g.letGo()
				r := g.run("attach", "--json", "r")
				end := last(t, r).Event
				named := end.Code == "agent_lost" && strings.Contains(end.Message, "journal") || orphan && end.Code == "replay_diverged"
				if !named {
					t.Errorf("the run ends with %s: %q", end.Code, end.Message)
				}
				g.cleaned()
				logs := g.run("logs", "r")
				if strings.Contains(r.stdout+logs.stdout+logs.stderr, canary) {
					t.Error("a file outside of the sandbox was read")
				}
				// What the wrapper writes, it writes as the agent, who may.
				for _, name := range []string{"err", "in"} {
					if data, err := os.ReadFile(filepath.Join(victim, name)); err != nil || string(data) != canary+"\n" {
						t.Errorf("a file outside of the sandbox is %q, %v", data, err)
					}
				}
				until(t, patience, "nothing of the agent runs", func() bool { return len(g.tree()) == 0 })
				if n := strings.Count(g.file("starts"), "\n"); n != 1 {
					t.Errorf("the agent was started %d times", n)
				}
			})
		}
	}
}

// replace puts something else in the place of a file or folder.
func replace(name string, put func(string) error) error {
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return put(name)
}
