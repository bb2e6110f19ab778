//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// points are the calls that a verb makes of the provider, each once.
func (g *gate) points(code int, args ...string) []string {
	g.t.Helper()
	before := len(g.calls())
	if before == 1 && g.calls()[0] == "" {
		before = 0
	}
	g.run(args...).want(g.t, code)
	var all []string
	seen := map[string]bool{}
	for _, call := range g.calls()[before:] {
		if !seen[call] {
			seen[call] = true
			all = append(all, call)
		}
	}
	return all
}

// killedAt runs a verb whose provider is killed when it comes to a call.
func (g *gate) killedAt(call string, args ...string) ran {
	g.t.Helper()
	g.hold(call)
	verb := g.start(args...)
	kill(g.t, g.await())
	g.open()
	return verb.ends()
}

// tidy fails the test if something that wasn't whole is left in a sandbox, on this
// side, or beside the sandboxes, or if a command of a sandbox runs on.
func (g *gate) tidy() {
	g.t.Helper()
	for _, dir := range []string{filepath.Join(g.home, "sandboxes"), g.project} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if name := filepath.Base(path); strings.HasPrefix(name, ".sandlot-") || strings.HasPrefix(name, ".new-") || strings.HasPrefix(name, ".gone-") {
				g.t.Errorf("left behind: %s", path)
			}
			return err
		})
		if err != nil {
			g.t.Error(err)
		}
	}
	if left := g.tree(); len(left) > 0 {
		g.t.Errorf("runs on: %v", left)
	}
}

func TestUpGoesOnWhereverItsProviderIsKilled(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	calls := g.points(0, "up", "--thread", "undisturbed")
	if len(calls) < 4 {
		t.Fatalf("up calls its provider only so: %q", calls)
	}
	for i, call := range calls {
		thread := fmt.Sprintf("t%d", i)
		r := g.killedAt(call, "up", "--thread", thread)
		if r.code != 0 || !strings.Contains(r.stderr, "it is started anew") {
			t.Errorf("killed %s: exit code %d\n%s", call, r.code, r.stderr)
			continue
		}
		id := strings.TrimSpace(r.stdout)
		if got := g.run("exec", id, "cat", "setups").want(t, 0).stdout; got != "x\n" {
			t.Errorf("killed %s: setup ran %q", call, got)
		}
		g.tidy()
	}
	if n := len(g.roots()); n != 1+len(calls) {
		t.Errorf("there are %d sandboxes for %d threads", n, 1+len(calls))
	}
}

func TestExecTellsOrGoesOnWhereverItsProviderIsKilled(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	id := strings.TrimSpace(g.run("up").want(t, 0).stdout)
	args := []string{"exec", id, "--", "sh", "-c", "PATH=/usr/bin:/bin; setsid sleep 4245 & exit 7"}
	calls := g.points(7, args...)
	for _, call := range calls {
		r := g.killedAt(call, args...)
		switch begun := strings.HasSuffix(call, "start exec"); {
		case begun && (r.code != 125 || !strings.Contains(r.stderr, "what was left of it was ended")):
			t.Errorf("killed %s: exit code %d, want 125\n%s", call, r.code, r.stderr)
		case !begun && r.code != 7:
			t.Errorf("killed %s: exit code %d, want 7\n%s", call, r.code, r.stderr)
		}
		g.tidy()
	}
	if len(calls) < 4 {
		t.Errorf("exec calls its provider only so: %q", calls)
	}
}

func TestCpGoesOnWhereverItsProviderIsKilled(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	id := strings.TrimSpace(g.run("up").want(t, 0).stdout)
	if err := os.MkdirAll(filepath.Join(g.project, "src", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	g.write("src/file", strings.Repeat("content\n", 100_000))
	g.write("src/sub/other", "other")
	for _, way := range [][2]string{
		{"src/file", id + ":file"}, {"src", id + ":tree"}, {id + ":file", "back"}, {id + ":tree", "backtree"},
	} {
		args := []string{"cp", way[0], way[1]}
		g.run(args...).want(t, 0) // what is there then makes a difference
		calls := g.points(0, args...)
		for _, call := range calls {
			if r := g.killedAt(call, args...); r.code != 0 {
				t.Errorf("%v, killed %s: exit code %d\n%s", args, call, r.code, r.stderr)
			}
			g.tidy()
		}
		if len(calls) < 6 {
			t.Errorf("%v calls its provider only so: %q", args, calls)
		}
	}
	for _, name := range []string{g.project + "/back", g.project + "/backtree/src/file", g.root() + "/file", g.root() + "/tree/src/file"} {
		if data, err := os.ReadFile(name); err != nil || len(data) != 800_000 {
			t.Errorf("%s has %d bytes, %v", name, len(data), err)
		}
	}
}
