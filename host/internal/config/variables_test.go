package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// model is the model of the only sandbox, which the tests below set by variables.
func model(t *testing.T, opts config.Options) string {
	t.Helper()
	return spec(t, loadOptions(t, opts), "").Harness.Model
}

const withModel = `variable "model" { default = "default" }
provider "localprocess" "here" {}
harness "acp" "main" {
  command = ["agent"]
  model   = var.model
}
` + one

func TestTheLaterValueOfAVariableWins(t *testing.T) {
	files := map[string]string{"sandlot.hcl": withModel, "f.hcl": `model = "file"`}
	env := map[string]string{"SANDLOT_VAR_model": "env"}
	if got := model(t, options(write(t, files), nil)); got != "default" {
		t.Errorf("got %s", got)
	}
	if got := model(t, options(write(t, files), env)); got != "env" {
		t.Errorf("the environment doesn't win over the default: got %s", got)
	}
	files["a.auto.sandlot.hcl"] = `model = "auto a"`
	if got := model(t, options(write(t, files), env)); got != "auto a" {
		t.Errorf("a file of values doesn't win over the environment: got %s", got)
	}
	files["b.auto.sandlot.hcl"] = `model = "auto b"`
	opts := options(write(t, files), env)
	if got := model(t, opts); got != "auto b" {
		t.Errorf("the later file of values doesn't win: got %s", got)
	}
	opts.Inputs = []config.Input{{Var: "model=flag=x"}, {File: "f.hcl"}}
	if got := model(t, opts); got != "file" {
		t.Errorf("the later flag, a file, doesn't win: got %s", got)
	}
	opts.Inputs = []config.Input{{File: "f.hcl"}, {Var: "model=flag=x"}}
	if got := model(t, opts); got != "flag=x" {
		t.Errorf("the later flag, a value, doesn't win: got %s", got)
	}
}

func TestVariablesHaveTypes(t *testing.T) {
	text := plugins + `
variable "n" { type = number }
variable "b" { type = bool }
variable "l" { type = list(string) }
variable "o" { type = object({ a = string, z = optional(string, "zed") }) }
variable "any" {}
variable "home" { default = env("HOME") }
variable "fallback" { default = coalesce(env("NOT_SET"), "fell back") }
workspace "w" {
  env = { N = var.n + 1, B = var.b ? "yes" : "no", L = join(",", var.l), O = "${var.o.a}${var.o.z}", ANY = var.any, HOME = var.home, F = var.fallback }
}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = workspace.w
}`
	opts := options(write(t, map[string]string{"sandlot.hcl": text}), map[string]string{
		"HOME": "/home/x", "SANDLOT_VAR_n": "41", "SANDLOT_VAR_b": "true", "SANDLOT_VAR_l": `["a", "b"]`,
	})
	opts.Inputs = []config.Input{{Var: `o={a = "x"}`}, {Var: "any= [1] "}}
	got := map[string]string{}
	for name, v := range spec(t, loadOptions(t, opts), "s").Workspace.Env {
		got[name], _ = v.Plain()
	}
	want := map[string]string{"N": "42", "B": "yes", "L": "a,b", "O": "xzed", "ANY": " [1] ", "HOME": "/home/x", "F": "fell back"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestValuesFromOutsideAreChecked(t *testing.T) {
	files := map[string]string{
		"sandlot.hcl": "variable \"model\" { default = \"x\" }\nvariable \"l\" {\n  type = list(string)\n  default = []\n}\nvariable \"n\" {\n  type = number\n  default = 1\n}",
		"typo.hcl":    "\nmodl = 1", "expr.hcl": "model = var.x", "block.hcl": "a {}", "l.hcl": "l = 3", "broken.hcl": "model = ",
	}
	tests := []struct {
		name  string
		input config.Input
		want  string
	}{
		{"a flag for no variable", config.Input{Var: "modl=x"}, `(--var modl:1:1)|There is no variable "modl". Did you mean "model"?`},
		{"a flag without a value", config.Input{Var: "model"}, "Write --var name=value"},
		{"a flag that isn't a number", config.Input{Var: "n=x"}, "The value of var.n must be a number."},
		{"a flag that isn't an expression", config.Input{Var: "l=[a"}, "The value of var.l isn't an expression"},
		{"a flag of the wrong type", config.Input{Var: "l={a = 1}"}, "(--var l:1:1)|The value of var.l must be of type list(string)"},
		{"a flag nested too deeply", config.Input{Var: "l=" + strings.Repeat("[", 100000)}, "Nested too deeply"},
		{"a file for no variable", config.Input{File: "typo.hcl"}, `(typo.hcl:2:1)|There is no variable "modl". Did you mean "model"?`},
		{"a file with an expression", config.Input{File: "expr.hcl"}, "(expr.hcl:1:9)|var.* can't be used here; only literals and functions can"},
		{"a file with a block", config.Input{File: "block.hcl"}, "(block.hcl:1:1)"},
		{"a file with a value of the wrong type", config.Input{File: "l.hcl"}, "(l.hcl:1:5)|must be of type list(string)"},
		{"a file that doesn't parse", config.Input{File: "broken.hcl"}, "(broken.hcl:1:9)"},
		{"a file that isn't there", config.Input{File: "nowhere.hcl"}, "(nowhere.hcl:1:1)|no such file"},
		{"a folder", config.Input{File: "."}, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := options(write(t, files), nil)
			opts.Inputs = []config.Input{tt.input}
			p, diags := config.Load(t.Context(), opts)
			got := render(t, p, diags)
			for _, want := range strings.Split(tt.want, "|") {
				if !diags.HasErrors() || !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
		})
	}
}
