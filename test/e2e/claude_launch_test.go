//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// standIn is started as claude where the real one would ask a real service. It
// runs until it is ended.
const standIn = "#!/bin/sh\nwhile :; do sleep 0.1; done\n"

// running is how the agent of the stage's run was started, as the kernel has it.
func (s *stage) running() launched {
	s.t.Helper()
	var agents []process
	until(s.t, 20*time.Second, "the agent runs", func() bool {
		agents = slices.DeleteFunc(s.tree(), func(p process) bool {
			i := slices.Index(p.args, "-p")
			return i < 1 || filepath.Base(p.args[i-1]) != "claude" || slices.Contains(p.args, "-c")
		})
		return len(agents) == 1
	})
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(agents[0].pid), "environ"))
	if err != nil {
		s.t.Fatal(err)
	}
	args := agents[0].args
	l := launched{argv: append([]string{"claude"}, args[slices.Index(args, "-p"):]...), env: map[string]string{}}
	for _, entry := range strings.Split(strings.TrimSuffix(string(environ), "\x00"), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		l.env[name] = value
	}
	return l
}

// TestClaudeIsTestedAsItIsUsed starts the example as these tests do, and as a
// person would: only the key, where the API is, and what is of one run alone
// differ.
func TestClaudeIsTestedAsItIsUsed(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name string
		free bool
	}{
		{"fed", false},
		{"not fed", true},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			sample := func(c *claude, run string, ready func() bool) launched {
				if way.free {
					c.free()
				}
				c.run("run", "--detach", "--run-id", run, "--thread", "t", "Begin").want(t, 0)
				l := c.running()
				until(t, 20*time.Second, "the agent is at work", ready)
				c.run("cancel", run).want(t, 0)
				for name, value := range l.env { // the run's own folder is in one of them
					l.env[name] = strings.ReplaceAll(value, "/runs/"+run+"/", "/runs/RUN/")
				}
				return l
			}
			tested := newClaude(t, modelserver.Script{{Parts: []modelserver.Part{modelserver.Silence{}}}})
			used := &claude{stage: newStage(t, example(t, "claude-local.hcl"))}
			used.home, used.project = tested.home, tested.project
			used.env = slices.DeleteFunc(slices.Clone(tested.env), func(e string) bool { return strings.HasPrefix(e, "ANTHROPIC_BASE_URL=") })
			program := filepath.Join(t.TempDir(), "claude")
			must(t, os.WriteFile(program, []byte(standIn), 0o700))
			used.env = append(used.env, "PATH="+agentPath(t, "claude", program, "sleep")+":"+built, "ANTHROPIC_API_KEY=the-key-of-a-person")

			// The other way round there would be a session to resume.
			b := sample(used, "used", func() bool { return true })
			a := sample(tested, "tested", func() bool { return len(tested.model.Requests()) == 1 })
			if value, ok := a.env["IS_SANDBOX"]; ok || slices.Contains(a.argv, "bypassPermissions") {
				t.Errorf("nothing isolates it here, and it is told otherwise: IS_SANDBOX %q, arguments %q", value, a.argv)
			}
			if diff := cmp.Diff(a.argv, b.argv); diff != "" {
				t.Errorf("arguments (-tested +used):\n%s", diff)
			}
			if got := differing(a.env, b.env); !slices.Equal(got, []string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "PATH", "SANDLOT_PROC", "SANDLOT_RUN", "SANDLOT_TREE"}) {
				t.Errorf("variables that differ: %q", got)
			}
		})
	}
}

// differing are the variables that two environments don't have alike.
func differing(a, b map[string]string) (names []string) {
	for name, value := range a {
		if other, ok := b[name]; !ok || other != value {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
