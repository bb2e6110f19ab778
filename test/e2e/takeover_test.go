//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secretive is a project whose agent needs a secret to start.
const secretive = `
provider "localprocess" "here" {}
harness "minimal" "m" {}
secret "TOKEN" { env = "HOST_TOKEN" }
workspace "w" { secrets = [secret.TOKEN] }
sandbox "minimal" {
  provider  = provider.localprocess.here
  harness   = harness.minimal.m
  workspace = workspace.w
}
`

// orphan is a run whose agent goes on without a driver.
func (s *stage) orphan(prompt string) {
	s.t.Helper()
	s.run("run", "--detach", "--run-id", "r", "append starts\n"+prompt).want(s.t, 0)
	until(s.t, 10*time.Second, "the agent has started", func() bool {
		return len(s.roots()) == 1 && size(filepath.Join(s.root(), "starts")) > 0
	})
	s.killDriver("r")
	s.pluginsGone()
}

func newSecretive(t *testing.T) *stage {
	t.Helper()
	s := newMinimal(t)
	s.write("sandlot.hcl", secretive)
	s.env = append(s.env, "HOST_TOKEN=canary-77aa55ee")
	return s
}

func (s *stage) without(variable string) {
	var kept []string
	for _, e := range s.env {
		if !strings.HasPrefix(e, variable+"=") {
			kept = append(kept, e)
		}
	}
	s.env = kept
}

// TestATakeoverNeedsTheSecretsToScrub has an agent that prints its secret while
// no driver can know it.
func TestATakeoverNeedsTheSecretsToScrub(t *testing.T) {
	t.Parallel()
	s := newSecretive(t)
	s.orphan("env TOKEN\nsleep 2\nsay after")
	full := s.env
	s.without("HOST_TOKEN")
	r := s.run("attach", "--json", "r").want(t, 1)
	if strings.Contains(r.stdout, "canary") || !strings.Contains(r.stderr, "HOST_TOKEN") || !strings.Contains(r.stderr, "stays open") {
		t.Errorf("attach says %q, %q", clip(r.stdout), r.stderr)
	}
	s.env = full
	r = s.run("attach", "--json", "r").want(t, 0)
	if said := text(r.events(t)); strings.Contains(r.stdout, "canary") || !strings.Contains(said, "***") || !strings.Contains(said, "after") {
		t.Errorf("attach shows %s", clip(r.stdout))
	}
}

func TestCancelNeedsNoSecretOfTheAgent(t *testing.T) {
	t.Parallel()
	s := newSecretive(t)
	s.orphan("ignore-term\nheartbeat beat")
	s.without("HOST_TOKEN")
	s.run("cancel", "r").want(t, 0)
	if left := s.tree(); len(left) > 0 {
		t.Errorf("canceled, and there is still %v", left)
	}
	s.run("attach", "r").want(t, 4)
}

// TestARunIsNotEndedWhileItsAgentCannotBeReached breaks each plugin while an
// agent runs without a driver.
func TestARunIsNotEndedWhileItsAgentCannotBeReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ plugin, verb string }{
		{"sandlot-provider-localprocess", "attach"},
		{"sandlot-provider-localprocess", "cancel"},
		{"sandlot-harness-minimal", "attach"},
	} {
		t.Run(c.verb+" without "+strings.Split(c.plugin, "-")[1], func(t *testing.T) {
			s := newMinimal(t)
			s.orphan("heartbeat beat")
			broken := filepath.Join(t.TempDir(), "plugins")
			if err := os.Mkdir(broken, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(broken, c.plugin), []byte("#!/bin/sh\necho is broken >&2\nexit 7\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			r := s.run(c.verb, "r", "--plugin-dir", broken).want(t, 1)
			if !strings.Contains(r.stderr, "stays open") || !strings.Contains(r.stderr, "is broken") {
				t.Errorf("%s says %q", c.verb, r.stderr)
			}
			before := size(filepath.Join(s.root(), "beat"))
			until(t, 20*time.Second, "the agent goes on", func() bool { return size(filepath.Join(s.root(), "beat")) > before })
			s.run("cancel", "r").want(t, 0)
			still(t, filepath.Join(s.root(), "beat"))
			s.run("attach", "r").want(t, 4)
		})
	}
}

func TestAnAgentThatRemovesOrCutsItsJournalIsEndedAndToldSo(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"removed": `rm -rf "$SANDLOT_WORKSPACE"/../state/runs/r; sleep 60`,
		"cut":     `: >"$(echo "$SANDLOT_WORKSPACE"/../state/runs/r)/out"; sleep 1`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newDemo(t)
			s.edit(`["sandlot-demo-agent"]`, fmt.Sprintf(`["sh", "-c", %q]`, "echo '{}'; sleep 0.3; "+spoil))
			s.env[0] += ":/usr/bin:/bin"
			events := s.run("run", "--json", "--run-id", "r", "say a").want(t, 3).events(t)
			last := events[len(events)-1].Event
			if last.Code != "agent_lost" || !strings.Contains(last.Message, "journal") {
				t.Errorf("the run ends with %s: %q", last.Code, last.Message)
			}
		})
	}
}

func TestARunOnAThreadWhoseDriverIsGoneStartsOneAgain(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--detach", "--run-id", "r", "--thread", "t", "append starts\nsleep 2\nsay after").want(t, 0)
	until(t, 10*time.Second, "the agent has started", func() bool {
		return len(s.roots()) == 1 && size(filepath.Join(s.root(), "starts")) > 0
	})
	s.killDriver("r")
	s.pluginsGone()
	r := s.run("run", "--thread", "t", "say no").want(t, 1)
	if !strings.Contains(r.stderr, "another one has been started") {
		t.Errorf("the refusal says %q", r.stderr)
	}
	until(t, 10*time.Second, "the run is driven", func() bool { return len(s.named("drive r")) == 1 })
	if r := s.run("attach", "r").want(t, 0); !strings.Contains(r.stdout, "after") {
		t.Errorf("attach shows %q", r.stdout)
	}
}

func TestAReaderThatFailsLeavesTheRunGoing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	cmd := s.command(t.Context(), "run", "--json", "--run-id", "r", "write f: x\nsay over")
	cmd.Stdout = full
	if err := cmd.Run(); err == nil {
		t.Error("output that can't be written is no error")
	}
	if r := s.run("attach", "r").want(t, 0); !strings.Contains(r.stdout, "over") {
		t.Errorf("attach shows %q", r.stdout)
	}
	s.file("f")
}

func TestErrorsAreJSONToo(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	r := s.run("attach", "--json", "nothing").want(t, 1)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"type":"version"`) || !strings.Contains(lines[1], `"type":"error"`) {
		t.Errorf("stdout: %q", r.stdout)
	}
}
