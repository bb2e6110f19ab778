//go:build linux

package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stage is one user's world: a folder for state and a project.
type stage struct {
	t       *testing.T
	home    string
	project string
	env     []string
	db      *sql.DB // from database; nil before
}

// demo is a project with the demo agent, which keeps its sandbox.
const demo = `
provider "localprocess" "here" {}
harness "acp" "demo" { command = ["sandlot-demo-agent"] }
policy "p" {
  default          = "ask"
  file_write       = "allow"
  approval_timeout = "%s"
  commands {
    allow = ["echo *", "cat *"]
    deny  = ["rm *"]
  }
}
sandbox "demo" {
  provider = provider.localprocess.here
  harness  = harness.acp.demo
  policy   = policy.p
}
`

// minimal is a project with the journaled agent of examples/harness-minimal.
const minimal = `
provider "localprocess" "here" {}
harness "minimal" "m" {}
sandbox "minimal" {
  provider = provider.localprocess.here
  harness  = harness.minimal.m
}
`

func newStage(t *testing.T, hcl string) *stage {
	t.Helper()
	s := &stage{t: t, home: filepath.Join(t.TempDir(), "home"), project: t.TempDir()}
	s.write("sandlot.hcl", hcl)
	s.env = []string{"PATH=" + built, "HOME=" + t.TempDir(), "SANDLOT_HOME=" + s.home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}
	t.Cleanup(s.nothingLeft)
	return s
}

func newDemo(t *testing.T) *stage {
	t.Helper()
	return newStage(t, fmt.Sprintf(demo, "10m"))
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.project, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// edit replaces text in the project's configuration.
func (s *stage) edit(old, now string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.project, "sandlot.hcl"))
	if err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		s.t.Fatalf("the configuration has no %q", old)
	}
	s.write("sandlot.hcl", strings.Replace(string(data), old, now, 1))
}

// command is a sandlot command that isn't started yet.
func (s *stage) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(built, "sandlot"), args...)
	cmd.Dir, cmd.Env = s.project, s.env
	return cmd
}

// ran is how a command ended.
type ran struct {
	stdout, stderr string
	code           int
}

func (s *stage) run(args ...string) ran {
	s.t.Helper()
	return s.runIn(s.t.Context(), args...)
}

func (s *stage) runIn(ctx context.Context, args ...string) ran {
	s.t.Helper()
	cmd := s.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		s.t.Fatalf("sandlot %q: %v", args, err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// want fails the test unless the command ended with that code.
func (r ran) want(t *testing.T, code int) ran {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, clip(r.stdout), clip(r.stderr))
	}
	return r
}

func clip(s string) string {
	if len(s) > 4000 {
		return s[:2000] + "\n...\n" + s[len(s)-2000:]
	}
	return s
}

// event is one line of --json.
type event struct {
	Type    string
	Run     string
	Seq     int64
	Version string
	Event   struct {
		Type, Name, Delta, Code, Message    string
		ToolCallName, ToolCallID, MessageID string
		ParentToolCallID                    string
		Content, Error                      string
		Value                               json.RawMessage
		Result                              struct{ Usage json.RawMessage } // of RUN_FINISHED
	}
}

// value decodes the value of a CUSTOM event.
func (e event) value(into any) { _ = json.Unmarshal(e.Event.Value, into) }

// events decodes the output of --json, and checks its form.
func (r ran) events(t *testing.T) []event {
	t.Helper()
	var all []event
	for i, line := range strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n") {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d isn't JSON: %v: %s", i, err, clip(line))
		}
		if i == 0 {
			if e.Type != "version" || e.Version == "" {
				t.Fatalf("the first line doesn't tell the version: %s", line)
			}
			continue
		}
		if e.Type == "event" {
			all = append(all, e)
		}
	}
	for i, e := range all {
		if e.Seq != all[0].Seq+int64(i) {
			t.Fatalf("event %d has seq %d: not in order, each once", i, e.Seq)
		}
	}
	return all
}

// text is all that the agent said.
func text(events []event) string {
	var b strings.Builder
	for _, e := range events {
		if e.Event.Type == "TEXT_MESSAGE_CONTENT" {
			b.WriteString(e.Event.Delta)
		}
	}
	return b.String()
}

func find(events []event, typ, name string) []event {
	var found []event
	for _, e := range events {
		if e.Event.Type == typ && (name == "" || e.Event.Name == name) {
			found = append(found, e)
		}
	}
	return found
}

// warnings are the texts of the warnings of that code.
func warnings(events []event, code string) []string {
	var found []string
	for _, e := range find(events, "CUSTOM", "warning") {
		var w struct{ Code, Text string }
		if e.value(&w); w.Code == code {
			found = append(found, w.Text)
		}
	}
	return found
}

// roots are the workspace folders of the sandboxes.
func (s *stage) roots() []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.home, "sandboxes", "[^.]*", "root"))
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// root is the workspace folder of the only sandbox.
func (s *stage) root() string {
	s.t.Helper()
	roots := s.roots()
	if len(roots) != 1 {
		s.t.Fatalf("there are %d sandboxes, want 1: %v", len(roots), roots)
	}
	return roots[0]
}

// file is the content of a file of the only sandbox.
func (s *stage) file(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root(), name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// until polls a cause, and fails the test if it doesn't come about in time.
func until(t *testing.T, limit time.Duration, what string, cause func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !cause() {
		select {
		case <-deadline.C:
			t.Fatalf("not within %s: %s", limit, what)
		case <-t.Context().Done():
			t.Fatalf("the test ended before: %s", what)
		case <-tick.C:
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o700); err != nil {
		t.Fatal(err)
	}
}
