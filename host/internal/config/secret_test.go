package config_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const canary = "canary-4711-value"

const withSecrets = `
variable "token" {
  sensitive = true
  default   = "` + canary + `"
}
secret "ENV" { env = "` + "SECRET_ENV" + `" }
secret "LITERAL" { value = "` + canary + `-literal" }
secret "VARIABLE" {
  value  = base64encode("x:${var.token}")
  redact = false
}
secret "ABSENT" { value = env("NOT_SET") }
secret "UNUSED" { env = "UNUSED" }
locals { auth = { Authorization = bearer(secret.ENV) } }
provider "cloud" "c" {
  token   = "${secret.LITERAL}"
  headers = merge(local.auth, { Plain = "text", "a/b~c" = join("-", [secret.ENV, secret.LITERAL]) })
  retry {
    times = 3
    key   = secret.ABSENT
  }
}
harness "acp" "main" { command = ["agent"] }
workspace "w" {
  env     = { for name in ["A", "B"] : name => format("%s:%s", name, secret.VARIABLE) }
  secrets = [secret.ENV]
}
sandbox "s" {
  provider  = provider.cloud.c
  harness   = harness.acp.main
  workspace = workspace.w
}
`

func TestASpecRefersToSecretsByName(t *testing.T) {
	opts := options(write(t, map[string]string{"sandlot.hcl": withSecrets}), map[string]string{"SECRET_ENV": canary})
	p := loadOptions(t, opts)
	s := spec(t, p, "s")
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "canary") || strings.Contains(string(data), "{secret:") {
		t.Errorf("a secret's value or placeholder is in %s", data)
	}
	var back config.Spec
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*s, back); diff != "" {
		t.Errorf("a spec doesn't survive JSON:\n%s", diff)
	}
	sources := map[string]config.SecretSource{
		"ENV": {Env: "SECRET_ENV", Redact: true}, "LITERAL": {Value: true, Redact: true},
		"VARIABLE": {Value: true}, "ABSENT": {Value: true, Redact: true},
	}
	if diff := cmp.Diff(sources, s.Secrets); diff != "" {
		t.Error(diff)
	}
	values := map[string]string{"LITERAL": canary + "-literal", "VARIABLE": "eDpjYW5hcnktNDcxMS12YWx1ZQ=="}
	if diff := cmp.Diff(values, p.SecretValues()); diff != "" {
		t.Error(diff)
	}
	text := func(s string) config.Part { return config.Part{Text: s} }
	env := map[string]config.Value{
		"A": {Parts: []config.Part{text("A:"), {Secret: "VARIABLE"}}},
		"B": {Parts: []config.Part{text("B:"), {Secret: "VARIABLE"}}},
	}
	if diff := cmp.Diff(env, s.Workspace.Env); diff != "" {
		t.Error(diff)
	}
}

func TestRevealPutsValuesInPlace(t *testing.T) {
	opts := options(write(t, map[string]string{"sandlot.hcl": withSecrets}), nil)
	s := spec(t, loadOptions(t, opts), "s")
	expand := func(parts []config.Part) (string, error) {
		var out strings.Builder
		for _, p := range parts {
			out.WriteString(p.Text + strings.ToLower(p.Secret))
		}
		return out.String(), nil
	}
	data, err := s.Provider.Reveal(expand)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"cpus":2,"headers":{"Authorization":"Bearer env","Plain":"text","a/b~c":"env-literal"},` +
		`"image":"debian:12","load":1.5,"retry":{"key":"absent","times":3},"token":"literal","wait":"1m0s"}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	if _, err := s.Provider.Reveal(func([]config.Part) (string, error) { return "", fmt.Errorf("no value") }); err == nil {
		t.Error("a secret that can't be expanded isn't an error")
	}
	if same, err := s.Harness.Reveal(nil); err != nil || string(same) != string(s.Harness.Config) {
		t.Errorf("got %s, %v", same, err)
	}
}

func TestNoDiagnosticHoldsASecret(t *testing.T) {
	tests := []struct{ name, text string }{
		{"an unknown argument beside it", `secret "A" { valu = "` + canary + `" }`},
		{"a label without quotes", `secret A { valu = "` + canary + `" }`},
		{"a header that isn't one", `secret "A { value = "` + canary + `" }`},
		{"a block that isn't closed", "secret \"A\" {\n value = \"" + canary + "\" nonsense"},
		{"a heredoc", "secret \"A\" {\n value = <<E\n" + canary + "\nE\n env = \"X\"\n}"},
		{"a heredoc in an error", "secret \"A\" {\n value = [<<E\n" + canary + "\nE\n]\n}"},
		{"a number", `secret "A" { value = [471147114711] }`},
		{"a failing function", `secret "A" { value = jsondecode("` + canary + `") }`},
		{"a failing number", `secret "A" { value = parseint("` + canary + `", 10) }`},
		{"a secret used elsewhere too", "secret \"A\" { value = \"" + canary + "\" }\nworkspace \"" + canary + "\" { x = \"" + canary + "\" }"},
		{"a sensitive variable of the wrong type", "variable \"v\" {\n  type = number\n  sensitive = true\n  default = \"" + canary + "\"\n}"},
		{"a sensitive variable with an unknown argument", `variable "v" { default = "` + canary + `", sensitive = true }`},
		{"a sensitive variable in a failing function", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\nlocals { a = parseint(var.v, 10) }"},
		{"a sensitive variable, encoded, in a failing function", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\nlocals { a = parseint(base64encode(var.v), 10) }"},
		{"a sensitive variable in a failing index", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\nlocals { a = { x = 1 }[var.v] }"},
		{"a sensitive variable in try", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\nlocals { a = try(parseint(var.v, 10), { x = 1 }[var.v]) }"},
		{"a sensitive variable that is invalid", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n  validation {\n" +
			"    condition = false\n    error_message = \"not ${var.v}\"\n  }\n}"},
		{"a sensitive variable that fails its validation", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n  validation {\n" +
			"    condition = parseint(var.v, 10) > 3\n    error_message = \"x\"\n  }\n}"},
		{"a sensitive variable in a command", plugins + "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\n" +
			"harness \"acp\" \"b\" { command = [\"x\", var.v, \"" + canary + "\"] }"},
		{"a sensitive variable as a secret's variable name", "variable \"v\" {\n  sensitive = true\n  default = \"" + canary + "\"\n}\nsecret \"A\" { env = var.v }"},
		{"a literal in a sensitive attribute", `provider "cloud" "c" { token = "` + canary + `" }`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": tt.text}), nil))
			if !diags.HasErrors() {
				t.Fatal("no error")
			}
			out := render(t, p, diags)
			for _, d := range diags {
				out += d.Error() + fmt.Sprint(d.Expression, d.EvalContext, d.Extra)
			}
			for _, f := range p.Files() {
				out += string(f.Bytes)
			}
			encoded := base64.StdEncoding.EncodeToString([]byte(canary))
			if strings.Contains(out, canary) || strings.Contains(out, "4711") || strings.Contains(out, encoded) {
				t.Errorf("the secret is shown:\n%s", out)
			}
		})
	}
}

func TestNoDiagnosticHoldsASensitiveValueFromOutside(t *testing.T) {
	text := "variable \"v\" {\n  type = number\n  sensitive = true\n}\nvariable \"w\" {\n  sensitive = true\n}\nlocals { a = var.w.x }"
	dir := write(t, map[string]string{"sandlot.hcl": text, "x.auto.sandlot.hcl": "w = \"" + canary + "\"\nnone = 1", "f.hcl": "v = \"" + canary + "\" x"})
	opts := options(dir, map[string]string{"SANDLOT_VAR_v": canary})
	opts.Inputs = []config.Input{{Var: "v=" + canary}, {Var: "vv=" + canary}, {File: "f.hcl"}}
	p, diags := config.Load(t.Context(), opts)
	out := render(t, p, diags)
	for _, f := range p.Files() {
		out += string(f.Bytes)
	}
	if !diags.HasErrors() || strings.Contains(out, canary) {
		t.Errorf("the value is shown:\n%s", out)
	}
}

// A flag or file that was mixed up may be anything: a token, a key, a file of
// another program.
func TestNoDiagnosticShowsWhatIsNoListOfValues(t *testing.T) {
	tests := []struct {
		name, want string
		input      config.Input
		file       string
	}{
		{"a flag without a name", `there is no "=" in it`, config.Input{Var: canary}, ""},
		{"a flag without a name, with an equals sign", "is no name", config.Input{Var: canary + "/+a=="}, ""},
		{"a file that is a token", "", config.Input{File: "f.hcl"}, canary},
		{"a file that is a key", "", config.Input{File: "f.hcl"}, "-----BEGIN KEY-----\n" + canary + "\n"},
		{"a file of a shell", "", config.Input{File: "f.hcl"}, "export A=" + canary + "\n"},
		{"a file with blocks", "has lines name = value", config.Input{File: "f.hcl"}, "v { x = \"" + canary + "\" }\n"},
		{"a file with a block that is called like it", "has lines name = value", config.Input{File: "f.hcl"}, "s" + strings.ReplaceAll(canary, "-", "_") + " {}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"sandlot.hcl": "variable \"v\" {\n  default = 1\n}", "f.hcl": tt.file})
			opts := options(dir, nil)
			opts.Inputs = []config.Input{tt.input}
			p, diags := config.Load(t.Context(), opts)
			out := render(t, p, diags)
			for _, f := range p.Files() {
				out += string(f.Bytes)
			}
			if !diags.HasErrors() || !strings.Contains(out, tt.want) || strings.Contains(out, "4711") {
				t.Errorf("got:\n%s", out)
			}
		})
	}
}

func TestAPlaceholderCannotBeWrittenByHand(t *testing.T) {
	s := spec(t, load(t, plugins+`
secret "A" { env = "A" }
workspace "w" { env = { X = "{secret:00000000000000000000000000000000:A}" } }
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = workspace.w
}`), "s")
	if _, plain := s.Workspace.Env["X"].Plain(); !plain || len(s.Secrets) != 0 {
		t.Errorf("got %v", s.Workspace.Env)
	}
}

func TestSecretsPassThroughWhatComposesThem(t *testing.T) {
	const a, b = "secret.A", "secret.B"
	tests := []struct{ name, expr, want string }{
		{"a reference", a, "<A>"},
		{"an index", `secret["A"]`, "<A>"},
		{"a template", `"x-${secret.A}-${secret.B}"`, "x-<A>-<B>"},
		{"a template that trims", `"x ${~ secret.A ~} y"`, "x<A>y"},
		{"a heredoc", "<<E\n${secret.A}\nE\n", "<A>\n"},
		{"bearer", "bearer(secret.A)", "Bearer <A>"},
		{"format", `format("%s:%s", secret.A, secret.B)`, "<A>:<B>"},
		{"join and concat", `join(",", concat([secret.A], ["x"]))`, "<A>,x"},
		{"coalesce", `coalesce(null, secret.A)`, "<A>"},
		{"an object", `{ k = secret.A, l = secret.B }.l`, "<B>"},
		{"a list", `[secret.A, secret.B][1]`, "<B>"},
		{"a splat", `join(",", [{ k = secret.A }, { k = secret.B }][*].k)`, "<A>,<B>"},
		{"lookup", `lookup({ k = secret.A }, "k", "x")`, "<A>"},
		{"a condition that isn't secret", `true ? secret.A : "x"`, "<A>"},
		{"try", `try(secret.A, "x")`, "<A>"},
		{"templatefile", `templatefile("t.tmpl", { s = secret.A })`, "T <A>"},
		{"upper", "upper(secret.A)", ""},
		{"substr", "substr(secret.A, 0, 5)", ""},
		{"sha256", "sha256(secret.A)", ""},
		{"base64encode", "base64encode(secret.A)", ""},
		{"urlencode", "urlencode(secret.A)", ""},
		{"jsonencode", "jsonencode({ a = secret.A })", ""},
		{"trimspace", "trimspace(secret.A)", ""},
		{"replace", `replace(secret.A, "a", "b")`, ""},
		{"split", `split(":", secret.A)[0]`, ""},
		{"length", "length([secret.A])", ""},
		{"strlen", "strlen(secret.A)", ""},
		{"sort", "sort([secret.A, secret.B])[0]", ""},
		{"a comparison", `"${secret.A == secret.B}"`, ""},
		{"a condition", `secret.A == "" ? "x" : secret.A`, "<A>"}, // the secret is there: nothing is lost
		{"a condition on another", `secret.A == "" ? "x" : secret.B`, ""},
		{"a filter", `join("", [for s in ["x"] : s if secret.A != ""])`, ""},
		{"a key", `keys({ "${secret.A}" = 1 })[0]`, "<A>"},
		{"an index of something else", `{ x = 1 }[secret.A]`, ""},
		{"file", "file(secret.A)", ""},
		{"upper in a template file", `templatefile("u.tmpl", { s = secret.A })`, ""},
		{"can", `"${can(upper(secret.A))}"`, "false"}, // decided by the kind of function, not by the value
		{"all secrets", "values(secret)[0]", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"t.tmpl": "T ${s}", "u.tmpl": "${upper(s)}", "sandlot.hcl": plugins + `
secret "A" { env = "A" }
secret "B" { env = "B" }
workspace "w" {
  env = {
    X = ` + tt.expr + `
  }
}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = workspace.w
}`})
			p, diags := config.Load(t.Context(), options(dir, nil))
			if tt.want == "" {
				if !diags.HasErrors() || diags[0].Subject.Start.Line < 7 || diags[0].Subject.Start.Line > 9 {
					t.Fatalf("got %v", diags)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(render(t, p, diags))
			}
			got := ""
			for _, part := range spec(t, p, "s").Workspace.Env["X"].Parts {
				if got += part.Text; part.Secret != "" {
					got += "<" + part.Secret + ">"
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
