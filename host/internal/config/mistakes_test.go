package config_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// whole is a project without a mistake; each case replaces a
// piece of it, wherever that stands.
const whole = `locals {
  root = "a"
}
variable "model" {
  default = "sonnet"
}
secret "GH" { env = "GH_TOKEN" }
provider "cloud" "c" {
  image = "node:22"
  token = secret.GH
  wait  = "90s"
}
harness "acp" "main" {
  command = ["agent", var.model]
}
workspace "app" {
  env = { ROOT = local.root }
}
policy "careful" {
  default = "ask"
}
sandbox "one" {
  provider  = provider.cloud.c
  harness   = harness.acp.main
  workspace = workspace.app
  policy    = policy.careful
  timeouts {
    idle = "10m"
  }
}
`

// One mistake, one diagnostic: at its line, in words that say what to do.
func TestOneMistakeGivesOneDiagnostic(t *testing.T) {
	for _, c := range []struct {
		name, old, now string
		line           int
		want           string
	}{
		{"an unknown attribute", "image =", "imge =", 9, `Did you mean "image"?`},
		{"an unknown block", "policy \"careful\"", "polcy \"careful\"", 19, `Did you mean "policy"?`},
		{"an unknown nested block", "timeouts {", "timeout {", 27, `Did you mean "timeouts"?`},
		{"a number for a list", `["agent", var.model]`, "7", 14, "needs a list of strings; this is a number"},
		{"a list for a string", `"node:22"`, `["node:22"]`, 9, "needs a string; this is a list"},
		{"a map for a list", `["agent", var.model]`, `{ a = "b" }`, 14, "needs a list of strings; this is a map"},
		{"a type that isn't one", `default = "sonnet"`, "default = \"sonnet\"\n  type = strin", 6, `such as string, number, bool, list(string)`},
		{"a string for a map", "{ ROOT = local.root }", `"ROOT"`, 17, "needs a map"},
		{"a missing block referred to", "workspace.app", "workspace.ap", 25, `Did you mean "app"?`},
		{"a reference of the wrong kind", "= policy.careful", "= workspace.app", 26, "refers to a workspace block. Write policy.NAME"},
		{"a reference in quotes", "provider.cloud.c", `"provider.cloud.c"`, 23, "provider.cloud.c"},
		{"a missing reference", "  harness   = harness.acp.main\n", "", 22, `"harness" is required here`},
		{"a plugin that isn't installed", "cloud", "clod", 8, `Did you mean "cloud"?`},
		{"a secret in a string", `"node:22"`, `"node:${secret.GH}"`, 9, "A secret may go into"},
		{"a secret that is plain text", "= secret.GH", `= "hunter2hunter2"`, 10, "Declare secret"},
		{"an unknown secret", "= secret.GH", "= secret.GHX", 10, `Did you mean "GH"?`},
		{"a variable that isn't set", `default = "sonnet"`, "type = string", 4, "--var model=..."},
		{"an unknown variable", "var.model", "var.modl", 14, `Did you mean "model"?`},
		{"a cycle of local values", `root = "a"`, "root = local.rest\n  rest = local.root", 3, "local.rest needs local.root needs local.rest. Break the cycle"},
		{"a duration without a unit", `"90s"`, "90", 11, `Write "90s"`},
		{"a duration that is none", `"90s"`, `"soon"`, 11, "isn't a duration"},
		{"a bound of nothing", `idle = "10m"`, `idle = "0s"`, 28, "longer than zero"},
		{"a block twice", "policy \"careful\" {", "policy \"careful\" {}\npolicy \"careful\" {", 20, "already declared at"},
		{"an attribute twice", "image = \"node:22\"", "image = \"a\"\n  image = \"node:22\"", 10, "already"},
		{"a value outside the set", `default = "ask"`, `default = "aks"`, 20, `Did you mean "ask"?`},
		{"an unknown function", "local.root }", "uper(local.root) }", 17, `Did you mean "upper"?`},
		{"an expression that isn't one", `"node:22"`, "= 1", 9, "expression"},
		{"a string without its end", `"node:22"`, `"node:22`, 9, "Quoted strings may not be split"},
		{"a brace too few", "  timeouts {\n    idle = \"10m\"\n  }\n", "  timeouts {\n    idle = \"10m\"\n", 22, "closing brace"},
		{"a missing label", `policy "careful" {`, "policy {", 19, "label"},
		{"env() where nothing is fetched", `"node:22"`, `env("IMAGE")`, 9, "default of a variable"},
	} {
		for _, style := range []struct {
			name string
			bend func(string) string
		}{
			{"", func(text string) string { return text }},
			{" with CRLF", func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }},
			{" without a last newline", strings.TrimSpace},
			{" after a byte order mark", func(text string) string { return "\xef\xbb\xbf" + text }},
		} {
			t.Run(c.name+style.name, func(t *testing.T) {
				if !strings.Contains(whole, c.old) {
					t.Fatalf("%q isn't in the project", c.old)
				}
				text := style.bend(strings.ReplaceAll(whole, c.old, c.now))
				_, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": text}), nil))
				if len(diags) != 1 || diags[0].Severity != hcl.DiagError {
					t.Fatalf("%d diagnostics: %v", len(diags), diags)
				}
				d := diags[0]
				if d.Subject == nil || d.Subject.Start.Line != c.line {
					t.Errorf("it is at %v, want line %d: %v", d.Subject, c.line, d)
				}
				if !strings.Contains(d.Summary+" "+d.Detail, c.want) {
					t.Errorf("it says %q, want %q", d.Detail, c.want)
				}
			})
		}
	}
}

func TestTheProjectWithoutAMistakeIsAccepted(t *testing.T) { load(t, whole) }
