//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fresh is a project whose workspace has a source and setup commands.
func fresh(t *testing.T, workspace string) *stage {
	t.Helper()
	s := newMinimal(t)
	s.edit("sandbox \"minimal\" {", "workspace \"w\" {\n"+workspace+"\n}\nsandbox \"minimal\" {\n  workspace = workspace.w")
	return s
}

func (s *stage) source(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// output is what the setup commands printed on a stream.
func output(events []event, stream string) string {
	var b strings.Builder
	for _, e := range find(events, "CUSTOM", "setup.output") {
		var v struct{ Stream, Text string }
		e.value(&v)
		if v.Stream == stream {
			b.WriteString(v.Text)
		}
	}
	return b.String()
}

// phases are those that ended, with how.
func phases(events []event) string {
	var all []string
	for _, e := range find(events, "CUSTOM", "sandbox.phase") {
		var v struct{ Phase, State string }
		if e.value(&v); v.State == "done" || v.State == "failed" {
			all = append(all, v.Phase+" "+v.State)
		}
	}
	return strings.Join(all, ", ")
}

func TestSourceAndSetupMakeTheSandboxReadyOnce(t *testing.T) {
	t.Parallel()
	s := fresh(t, `
  source "local" {
    path      = "src"
    gitignore = true
  }
  setup { run = ["cd sub; export MADE=$(cat name)", "echo $MADE >made; echo to-stderr >&2", "append() { echo x >>../setups; }; append"] }
  setup { run = ["cat sub/made; echo $SANDLOT_WORKSPACE"] }
`)
	content := word()
	s.source("src/sub/name", content)
	s.source("src/.gitignore", "*.log\n")
	s.source("src/x.log", "x")
	events := s.run("run", "--json", "--thread", "t", "say hello").want(t, 0).events(t)
	if got, want := phases(events), "create done, source done, setup done"; got != want {
		t.Errorf("phases: %s, want %s", got, want)
	}
	if got, want := output(events, "stdout"), content+"\n"+s.root()+"\n"; got != want {
		t.Errorf("stdout of setup: %q, want %q", got, want)
	}
	if got := output(events, "stderr"); got != "to-stderr\n" {
		t.Errorf("stderr of setup: %q", got)
	}
	if _, err := os.Stat(filepath.Join(s.root(), "x.log")); !os.IsNotExist(err) {
		t.Errorf("an ignored file was copied: %v", err)
	}
	again := s.run("run", "--json", "--thread", "t", "say hello").want(t, 0).events(t)
	if got := phases(again); got != "resume done" || s.file("setups") != "x\n" {
		t.Errorf("the second run: %s, setup ran %q", got, s.file("setups"))
	}
}

func TestAFailedSetupNamesItsStepAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := fresh(t, `
  setup { run = ["echo fine", "sleep 60 & echo last words; echo and these >&2; exit 7", "echo never"] }
`)
	r := s.run("run", "--run-id", "r", "say hello").want(t, 1)
	for _, want := range []string{"step 2 of 3", "exit code 7", "exit 7", "last words", "and these", "bootstrap_failed"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%q isn't said: %s", want, r.stderr)
		}
	}
	if left := s.roots(); len(left) > 0 || strings.Contains(r.stdout+r.stderr, "never") {
		t.Errorf("left: %v; %s", left, r.stderr)
	}
	if procs := s.tree(); len(procs) > 0 {
		t.Errorf("left running: %v", procs)
	}
	s.edit("exit 7", "true")
	s.run("run", "say hello").want(t, 0)
}
