//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// harness sets attributes in the harness block.
func (c *claude) harness(attributes string) *claude {
	c.t.Helper()
	c.edit(`harness "claude-code" "claude" {}`, "harness \"claude-code\" \"claude\" {\n  "+attributes+"\n}")
	return c
}

// TestWhatClaudesModelAnswersIsToldTruly has the model's service fail in several
// ways. Claude Code asks again after some of them: here once.
func TestWhatClaudesModelAnswersIsToldTruly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		turn   modelserver.Turn
		reason string
		most   int // requests that Claude Code makes before it gives up
	}{
		{"a key that is no longer valid", modelserver.Fail(401, "authentication_error", "the key was revoked"), "bad_key", 2},
		{"an account without credit", modelserver.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "no_credit", 6},
		{"too many requests", modelserver.Fail(429, "rate_limit_error", "slow down"), "rate_limited", 2},
		{"an overloaded service", modelserver.Fail(529, "overloaded_error", "Overloaded"), "overloaded", 3},
		{"a failing service", modelserver.Fail(500, "api_error", "something broke"), "overloaded", 2},
		{"a model that isn't there", modelserver.Fail(404, "not_found_error", "model: claude-99"), "model_unknown", 2},
		{"a conversation over the model's limit", modelserver.Fail(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"), "context_too_long", 6},
		{"a bad request", modelserver.Fail(400, "invalid_request_error", "the model cannot do this"), "crashed", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claude := newClaude(t, modelserver.Script{c.turn}).harness(`env = { CLAUDE_CODE_MAX_RETRIES = "1" }`)
			r := claude.run("run", "--run-id", "r", "Begin").want(t, 3)
			events := claude.run("attach", "--json", "r").want(t, 3).events(t)
			whole(t, events)
			last := events[len(events)-1].Event
			t.Logf("%d requests: %s %s", len(claude.model.Asked(modelserver.Main)), last.Code, last.Message)
			if last.Code != c.reason || !strings.Contains(r.stderr, last.Message) {
				t.Errorf("the run ends with %s: %q, want %s\nstderr: %s", last.Code, last.Message, c.reason, r.stderr)
			}
			if n := len(claude.model.Asked(modelserver.Main)); n == 0 || n > c.most {
				t.Errorf("the model was asked %d times, want at most %d", n, c.most)
			}
		})
	}
}

func TestABadKeyOfClaudeIsTold(t *testing.T) {
	t.Parallel()
	c := newClaude(t, nil)
	c.env = append(c.env, "ANTHROPIC_API_KEY=another-key-than-the-servers")
	events := c.run("run", "--json", "Begin").want(t, 3).events(t)
	whole(t, events)
	if last := events[len(events)-1].Event; last.Code != "bad_key" || !strings.Contains(last.Message, "ANTHROPIC_API_KEY") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
	if n := len(c.model.Asked(modelserver.Denied)); n == 0 {
		t.Error("the key was never shown to the service")
	}
}

func TestClaudeWithoutItsKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, workspace string
		code            int
		says            string
	}{
		{"is not started where a secret says that it needs one", `workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, 2, "ANTHROPIC_API_KEY"},
		{"says so itself otherwise", `workspace "scratch" {}`, 3, "give the sandbox a key that works as ANTHROPIC_API_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claude := newClaude(t, nil)
			claude.edit(`workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, c.workspace)
			claude.without("ANTHROPIC_API_KEY")
			r := claude.run("run", "Begin").want(t, c.code)
			if !strings.Contains(r.stderr, c.says) {
				t.Errorf("stderr: %s", r.stderr)
			}
			if n := len(claude.model.Requests()); n != 0 {
				t.Errorf("the service was asked %d times", n)
			}
		})
	}
}

func TestClaudeThatIsNotInstalledIsNamed(t *testing.T) {
	t.Parallel()
	c := newClaude(t, nil)
	c.env = append(c.env, "PATH="+built)
	events := c.run("run", "--json", "Begin").want(t, 3).events(t)
	if last := events[len(events)-1].Event; last.Code != "cli_missing" || !strings.Contains(last.Message, "npm install -g @anthropic-ai/claude-code@2.1.332") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
}

// TestAnUntestedClaudeIsUsedWithAWarning has the real one say another version.
func TestAnUntestedClaudeIsUsedWithAWarning(t *testing.T) {
	t.Parallel()
	c := newClaude(t, modelserver.Script{modelserver.Say("hello")})
	wrapper := filepath.Join(t.TempDir(), "claude-of-tomorrow")
	must(t, os.WriteFile(wrapper, []byte("#!/bin/sh\nclaude \"$@\" | sed -u 's/2[.]1[.]332/9.8.7/'\n"), 0o700))
	c.env = append(c.env, "PATH="+path(c.env)+":/usr/bin:/bin")
	c.harness(`command = ["` + wrapper + `"]`)
	events := c.run("run", "--json", "Begin").want(t, 0).events(t)
	whole(t, events)
	warnings := find(events, "CUSTOM", "warning")
	if len(warnings) != 1 || !strings.Contains(string(warnings[0].Event.Value), "is version 9.8.7; tested are 2.1.197 to 2.1.332") {
		t.Errorf("warnings: %+v", warnings)
	}
	if text(events) != "hello" {
		t.Errorf("the agent said %q", text(events))
	}
}

// path is the last PATH of an environment, which counts.
func path(env []string) (found string) {
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, "PATH="); ok {
			found = value
		}
	}
	return found
}

func TestClaudeThatTakesTooManyTurnsIsToldSo(t *testing.T) {
	t.Parallel()
	c := newClaude(t, modelserver.Script{bash("ls")}).harness("max_turns = 1")
	events := c.run("run", "--json", "Begin").want(t, 3).events(t)
	whole(t, events)
	if last := events[len(events)-1].Event; last.Code != "max_turns" || !strings.Contains(last.Message, "raise max_turns") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
}
