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
)

// waiting is a project whose setup says that it has begun, waits until the test
// lets it go on, and says that it has ended. It leaves something running.
func waiting(t *testing.T) (s *stage, tally, letGo string) {
	t.Helper()
	dir := t.TempDir()
	tally, letGo = filepath.Join(dir, "tally"), filepath.Join(dir, "go")
	s = fresh(t, fmt.Sprintf(`
  source "local" { path = "src" }
  setup { run = ["cat f", "sleep 1000 & echo begun; echo begun >>%s; while [ ! -e %s ]; do sleep 0.02; done; echo ended >>%s"] }
`, tally, letGo, tally))
	s.source("src/f", "content\n")
	return s, tally, letGo
}

// count is how often a line stands in a file.
func count(file, line string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	return strings.Count("\n"+strings.ReplaceAll(string(data), "\n", "\n\n"), "\n"+line+"\n")
}

func (s *stage) nothingMade() {
	s.t.Helper()
	if left := s.roots(); len(left) > 0 {
		s.t.Errorf("left: %v", left)
	}
	if procs := s.tree(); len(procs) > 0 {
		s.t.Errorf("left running: %v", procs)
	}
	if out := s.run("ps").want(s.t, 0).stdout; strings.Contains(out, "minimal") {
		s.t.Errorf("ps still shows it: %s", out)
	}
}

func TestACancelInSetupLeavesNothing(t *testing.T) {
	t.Parallel()
	s, _, letGo := waiting(t)
	r := s.start("run", "--json", "--run-id", "r", "say hello")
	r.await("begun")
	s.run("cancel", "r").want(t, 0)
	events := r.ends().want(t, 4).events(t)
	if last := events[len(events)-1].Event; last.Code != "canceled" {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
	if got := phases(events); got != "create done, source done, setup failed" {
		t.Errorf("phases: %s", got)
	}
	s.nothingMade()
	if err := os.WriteFile(letGo, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("run", "say hello").want(t, 0)
}

func TestAProviderKilledInSetupIsStartedAnewAndSoIsTheSetup(t *testing.T) {
	t.Parallel()
	s, tally, letGo := waiting(t)
	r := s.start("run", "--json", "--run-id", "r", "say hello")
	r.await("begun")
	plugins := s.named("sandlot-provider-")
	if len(plugins) != 1 {
		t.Fatalf("the providers are %v", plugins)
	}
	kill(t, plugins[0].pid)
	until(t, time.Minute, "setup begins again", func() bool { return count(tally, "begun") == 2 })
	if err := os.WriteFile(letGo, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	events := r.ends().want(t, 0).events(t)
	if n := count(tally, "ended"); n != 1 {
		t.Errorf("setup ended %d times", n)
	}
	if got := phases(events); got != "create done, source done, setup failed, create done, source done, setup done" {
		t.Errorf("phases: %s", got)
	}
	if s.file("f") != "content\n" || strings.TrimSpace(text(events)) != "hello" {
		t.Errorf("the text is %q", text(events))
	}
}

func TestADriverKilledInSetupIsFollowedByOneThatBeginsAnew(t *testing.T) {
	t.Parallel()
	s, tally, letGo := waiting(t)
	s.run("run", "--detach", "--run-id", "r", "say hello").want(t, 0)
	until(t, 20*time.Second, "setup begins", func() bool { return count(tally, "begun") == 1 })
	s.killDriver("r")
	s.pluginsGone()
	r := s.start("attach", "--json", "r")
	until(t, time.Minute, "setup begins again", func() bool { return count(tally, "begun") == 2 })
	if err := os.WriteFile(letGo, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	events := r.ends().want(t, 0).events(t)
	if n := count(tally, "ended"); n != 1 {
		t.Errorf("setup ended %d times", n)
	}
	if strings.TrimSpace(text(events)) != "hello" {
		t.Errorf("the text is %q", text(events))
	}
}

// TestADriverKilledOverAFolderOfTheUsersOwn leaves half a source in a folder that
// is never removed: the next driver takes that away, or it would find it full.
func TestADriverKilledOverAFolderOfTheUsersOwn(t *testing.T) {
	t.Parallel()
	s, tally, letGo := waiting(t)
	s.edit(`provider "localprocess" "here" {}`, `provider "localprocess" "here" { dir = "mine" }`)
	dir := filepath.Join(s.project, "mine")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.run("run", "--detach", "--run-id", "r", "say hello").want(t, 0)
	until(t, 20*time.Second, "setup begins", func() bool { return count(tally, "begun") == 1 })
	s.killDriver("r")
	s.pluginsGone()
	if err := os.WriteFile(letGo, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("attach", "r").want(t, 0)
	if got := entries(t, dir); got != "f" || count(tally, "begun") != 2 {
		t.Errorf("the folder holds %q, setup began %d times", got, count(tally, "begun"))
	}
}

func TestACancelAfterADriverDiedInSetupLeavesNothing(t *testing.T) {
	t.Parallel()
	s, tally, _ := waiting(t)
	s.run("run", "--detach", "--run-id", "r", "say hello").want(t, 0)
	until(t, 20*time.Second, "setup begins", func() bool { return count(tally, "begun") == 1 })
	s.killDriver("r")
	s.pluginsGone()
	s.run("cancel", "r").want(t, 0)
	if events := s.run("attach", "--json", "r").want(t, 4).events(t); len(find(events, "RUN_ERROR", "")) != 1 {
		t.Errorf("the run doesn't end once")
	}
	s.nothingMade()
}

func TestAFailedStepLeavesNothingAndTheNextRunIsFresh(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, workspace string
		says            []string
	}{
		{"a pipe in the source", `source "local" { path = "src" }`, []string{"src/pipe: it is a named pipe", "gitignore = true"}},
		{"a command that isn't there", `setup { run = ["nosuchprogram-x --y"] }`, []string{"step 1 of 1", "exit code 127", "nosuchprogram-x --y", "not found"}},
		{"a syntax error", `setup { run = ["echo fine", "if"] }`, []string{"step 2 of 2", "exit code 2", "yntax error"}},
		{"a command that takes too long", "setup {\n run = [\"echo begun; sleep 1000 & sleep 1000\"]\n timeout = \"1s\"\n}", []string{"step 1 of 1", "took longer than 1s", "begun"}},
		{"a command that is killed", `setup { run = ["echo begun; kill -9 $$"] }`, []string{"step 1 of 1", "signal 9", "begun"}},
		{"a command that fails twice", "setup {\n run = [\"echo try; exit 5\"]\n retries = 1\n}", []string{"exit code 5, as did the attempt before", "try"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := fresh(t, c.workspace)
			s.source("src/f", "content\n")
			if err := syscall.Mkfifo(filepath.Join(s.project, "src", "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := s.run("run", "say hello").want(t, 1)
			for _, want := range append(c.says, "bootstrap_failed") {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("%q isn't said: %s", want, r.stderr)
				}
			}
			s.nothingMade()
			s.edit("workspace = workspace.w", "")
			s.run("run", "say hello").want(t, 0)
		})
	}
}

// gatedWith is a gate whose workspace has a source and setup, which tallies.
func gatedWith(t *testing.T) (g *gate, tally string) {
	t.Helper()
	g = newGate(t)
	tally = filepath.Join(t.TempDir(), "tally")
	g.edit("  setup { run = [\"echo x >>setups\"] }", fmt.Sprintf(`  source "local" { path = "src" }
  setup { run = ["echo done >>%s; cp f made"] }`, tally))
	g.source("src/f", "content\n")
	return g, tally
}

// TestAProviderKilledWhileASandboxIsMadeBeginsAnew kills it at each call of the
// host that has to do with it.
func TestAProviderKilledWhileASandboxIsMadeBeginsAnew(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"before create", "after create", "before push", "after push", "after remove unfinished"} {
		for victim, pid := range map[string]func(g *gate) int{
			"provider": func(g *gate) int { return g.await() },
			"driver":   func(g *gate) int { g.await(); return g.named("drive r")[0].pid },
		} {
			t.Run(victim+" "+call, func(t *testing.T) {
				g, tally := gatedWith(t)
				g.hold(call)
				g.run("run", "--detach", "--run-id", "r", "say hello").want(t, 0)
				dies := pid(g)
				kill(t, dies)
				g.open()
				if victim == "driver" {
					g.pluginsGone()
				}
				events := g.run("attach", "--json", "r").want(t, 0).events(t)
				if g.file("f") != "content\n" || g.file("made") != "content\n" || strings.TrimSpace(text(events)) != "hello" {
					t.Errorf("the text is %q", text(events))
				}
				made := 1
				if strings.HasSuffix(call, "remove unfinished") { // setup had run in the first one
					made = 2
				}
				if n := count(tally, "done"); n != made {
					t.Errorf("setup ran %d times, want %d", n, made)
				}
				if ends := len(find(events, "RUN_FINISHED", "")); ends != 1 {
					t.Errorf("%d ends", ends)
				}
			})
		}
	}
}

func TestACancelWhileTheSourceIsCopiedLeavesNothing(t *testing.T) {
	t.Parallel()
	g, _ := gatedWith(t)
	g.hold("before push")
	r := g.start("run", "--json", "--run-id", "r", "say hello")
	g.await()
	cancel := g.start("cancel", "r")
	until(t, 20*time.Second, "the cancel has reached the driver", func() bool { return strings.Contains(r.stdout.String(), `"state":"failed"`) })
	g.open()
	r.ends().want(t, 4)
	cancel.ends().want(t, 0)
	g.nothingMade()
}
