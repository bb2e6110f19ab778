package config_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func TestAMinimalSandboxHasTheDefaults(t *testing.T) {
	got := *spec(t, load(t, minimal), "")
	got.Project = ""
	want := config.Spec{
		Block:    "one",
		Provider: config.Plugin{Type: "localprocess", Name: "here", Config: []byte("{}"), Identity: []byte("{}")},
		Harness:  config.Harness{Plugin: config.Plugin{Type: "acp", Name: "main", Config: []byte(`{"command":["agent"]}`)}, AuthMode: "api-key"},
		Policy:   config.Policy{Default: "ask", FileWrite: "ask", ApprovalTimeout: 10 * time.Minute},
		Lifecycle: config.Lifecycle{
			Reuse: "thread", Snapshot: config.SnapshotAfterSetup, SnapshotMaxAge: config.DefaultSnapshotMaxAge,
			KeepAlive: config.DefaultKeepAlive, OnCancel: "keep", OnDisconnect: "detach",
		},
		Timeouts: config.Timeouts{Startup: time.Minute, Idle: 10 * time.Minute, Tool: 30 * time.Minute, AfterResult: 10 * time.Second, Run: 2 * time.Hour},
		Secrets:  map[string]config.SecretSource{},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(config.Plugin{}, "Where")); diff != "" {
		t.Error(diff)
	}
}

func TestEverySupportedSettingArrives(t *testing.T) {
	s := spec(t, load(t, `
sandlot {
  required_version = ">= 0.1"
}
provider "localprocess" "here" { dir = "x" }
harness "acp" "main" {
  command     = ["agent", "--acp"]
  env         = { A = "b" }
  auth_method = "key"
  model       = "m"
  auth_mode   = "host"
}
workspace "w" {
  source "none" {}
  env = { N = 3 }
  scripts = { test = "make test" }
}
policy "p" {
  default    = "deny"
  commands {
    allow = ["a"]
    ask   = ["b"]
    deny  = ["c"]
  }
  approval_timeout = "1m"
  strict           = true
  network { setup = "allow" }
}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness["acp"].main
  workspace = workspace.w
  policy    = policy.p
  lifecycle {
    reuse               = "none"
    snapshot            = "none"
    snapshot_max_age    = "1h"
    keep_alive = "5m"
    destroy_on_complete = true
    on_cancel           = "destroy"
    on_disconnect       = "cancel"
  }
  timeouts { idle = "3s" }
}`), "s")
	s.Project = ""
	want := config.Spec{
		Block:    "s",
		Provider: config.Plugin{Type: "localprocess", Name: "here", Config: []byte(`{"dir":"x"}`), Identity: []byte(`{"dir":"x"}`)},
		Harness: config.Harness{Model: "m", AuthMode: "host", Plugin: config.Plugin{
			Type: "acp", Name: "main",
			Config: []byte(`{"auth_method":"key","command":["agent","--acp"],"env":{"A":"b"}}`),
		}},
		Workspace: config.Workspace{Name: "w", Env: map[string]config.Value{"N": config.Text("3")}, Scripts: map[string]string{"test": "make test"}},
		Policy: config.Policy{
			Name: "p", Default: "deny", FileWrite: "deny", ApprovalTimeout: time.Minute, Strict: true,
			Commands: config.Commands{Allow: []string{"a"}, Ask: []string{"b"}, Deny: []string{"c"}},
		},
		Lifecycle: config.Lifecycle{
			Reuse: "none", Snapshot: config.SnapshotNone, SnapshotAsked: true, SnapshotMaxAge: time.Hour,
			KeepAlive: 5 * time.Minute, DestroyOnComplete: true, OnCancel: "destroy", OnDisconnect: "cancel",
		},
		Timeouts: config.Timeouts{Startup: time.Minute, Idle: 3 * time.Second, Tool: 30 * time.Minute, AfterResult: 10 * time.Second, Run: 2 * time.Hour},
		Secrets:  map[string]config.SecretSource{},
	}
	if diff := cmp.Diff(want, *s, cmpopts.IgnoreFields(config.Plugin{}, "Where")); diff != "" {
		t.Error(diff)
	}
}

const several = plugins + `harness "acp" "other" { command = ["other"] }
` + one + two

func TestASandboxIsPicked(t *testing.T) {
	p := load(t, several)
	tests := []struct{ name, sandbox, harness, want string }{
		{"by name", "two", "", "two main"},
		{"with another harness", "one", "acp.other", "one other"},
		{"with another harness by its name", "one", "other", "one other"},
		{"without a name where there are several", "", "", "Say which one is meant with --sandbox: one, two."},
		{"by a wrong name", "on", "", `There is no sandbox block "on". Did you mean "one"? The configuration has: one, two.`},
		{"with a wrong harness", "one", "acp.othr", `There is no harness block "acp.othr". Did you mean "acp.other"? The configuration has: acp.main, acp.other.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, diags := p.SandboxWithHarness(tt.sandbox, tt.harness)
			var got string
			if diags.HasErrors() {
				got = diags[0].Detail
			} else {
				got = s.Block + " " + s.Harness.Name
			}
			if got != tt.want {
				t.Errorf("got %s", got)
			}
		})
	}
	if _, diags := load(t, plugins).Sandbox(""); !diags.HasErrors() || !strings.Contains(diags[0].Detail, "has no sandbox block") {
		t.Errorf("got %v", diags)
	}
}

func TestWhatAPluginSaysIsShownAtItsLine(t *testing.T) {
	p := load(t, `provider "cloud" "c" {
  image = "x"
  headers = {
    A = "a"
    "b c" = "b"
  }
  waits = ["1s",
    "2s"]
  volume "tmp" {
    target = "/a"
  }
}
harness "acp" "a" { command = ["x"] }
sandbox "s" {
  provider = provider.cloud.c
  harness  = harness.acp.a
}`)
	tests := []struct {
		path string
		line int
	}{
		{"", 1},
		{"image", 2},
		{"headers", 3},
		{`headers["A"]`, 4},
		{`headers["b c"]`, 5},
		{`headers["gone"]`, 3},
		{"waits[1]", 8},
		{"waits[7]", 7},
		{"volume[0]", 9},
		{"volume[0].target", 10},
		{"volume[0].missing", 9},
		{"volume[3]", 1},
		{"nowhere.at.all", 1},
		{"cpus", 1},
	}
	for _, tt := range tests {
		if got, want := spec(t, p, "s").Provider.At(tt.path), fmt.Sprintf("sandlot.hcl:%d", tt.line); got != want {
			t.Errorf("%q is at %s, want %s", tt.path, got, want)
		}
	}
	if got := (config.Plugin{}).At("x"); got != "" {
		t.Errorf("what was written nowhere is at %s", got)
	}
}

func TestRenderKeepsControlCharactersFromTheTerminal(t *testing.T) {
	p, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": "sandbx \"\x1b[31m\" {} # \x1b]0;x\x07\x7f"}), nil))
	if !diags.HasErrors() {
		t.Fatal("no error")
	}
	if out := render(t, p, diags); strings.ContainsAny(out, "\x1b\x07\x7f") {
		t.Errorf("got %q", out)
	}
	var colored bytes.Buffer
	if err := config.Render(&colored, diags, p.Files(), 40, true); err != nil || !strings.Contains(colored.String(), "\x1b[31mError") {
		t.Errorf("got %q, %v", colored.String(), err)
	}
}

func TestRequiredProvidersAreKept(t *testing.T) {
	p := load(t, "sandlot {\n  required_providers {\n    acme = { source = \"acme-inc/acme\", version = \"~> 1.2\" }\n  }\n}")
	want := map[string]config.Requirement{"acme": {Source: "acme-inc/acme", Version: "~> 1.2"}}
	if diff := cmp.Diff(want, p.RequiredProviders()); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsAreNoErrors(t *testing.T) {
	p, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": "provider \"cloud\" \"c\" { old = \"x\" }"}), nil))
	if diags.HasErrors() || len(diags) != 1 || diags[0].Severity != hcl.DiagWarning {
		t.Error(render(t, p, diags))
	}
}
