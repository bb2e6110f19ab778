package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const (
	plugins = "provider \"localprocess\" \"here\" {}\nharness \"acp\" \"main\" { command = [\"agent\"] }\n"
	one     = "sandbox \"one\" {\n  provider = provider.localprocess.here\n  harness = harness.acp.main\n}\n"
	two     = "sandbox \"two\" {\n  provider = provider.localprocess.here\n  harness = harness.acp.main\n}\n"
)

func TestAFolderIsItsSandlotFiles(t *testing.T) {
	dir := write(t, map[string]string{
		"sandlot.hcl":              plugins + one,
		"b.sandlot.hcl":            two,
		".hidden.sandlot.hcl":      "broken {",
		"values.auto.sandlot.hcl":  "",
		"other.hcl":                "broken {",
		"sub/sandlot.hcl":          "broken {",
		"folder.sandlot.hcl/x.hcl": "broken {",
	})
	if diff := cmp.Diff([]string{"one", "two"}, loadOptions(t, options(dir, nil)).Sandboxes()); diff != "" {
		t.Error(diff)
	}
	opts := options(filepath.Dir(dir), nil)
	opts.Path = filepath.Base(dir)
	if diff := cmp.Diff([]string{"one", "two"}, loadOptions(t, opts).Sandboxes()); diff != "" {
		t.Error(diff)
	}
}

func TestAFileIsOnlyItself(t *testing.T) {
	dir := write(t, map[string]string{"sandlot.hcl": "broken {", "x.hcl": plugins + one, "y.sandlot.hcl": two})
	opts := options(dir, nil)
	opts.Path = "x.hcl"
	p := loadOptions(t, opts)
	if diff := cmp.Diff([]string{"one"}, p.Sandboxes()); diff != "" {
		t.Error(diff)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := spec(t, p, "one"); s.Project != real {
		t.Errorf("the project is %s", s.Project)
	}
}

func TestALinkToAProjectIsTheSameProject(t *testing.T) {
	dir := write(t, map[string]string{"p/sandlot.hcl": plugins + one})
	if err := os.Symlink(filepath.Join(dir, "p"), filepath.Join(dir, "q")); err != nil {
		t.Fatal(err)
	}
	a := spec(t, loadOptions(t, options(filepath.Join(dir, "p"), nil)), "")
	b := spec(t, loadOptions(t, options(filepath.Join(dir, "q"), nil)), "")
	if a.Project != b.Project {
		t.Errorf("%s and %s", a.Project, b.Project)
	}
}

func TestWhatIsNotFoundIsNamed(t *testing.T) {
	dir := write(t, map[string]string{"empty/.sandlot.hcl": "", "full/sandlot.hcl": plugins + one})
	tests := []struct{ name, path, want string }{
		{"a path that doesn't exist", "nowhere", filepath.Join(dir, "nowhere") + " doesn't exist"},
		{"a folder without a configuration", "empty", filepath.Join(dir, "empty") + " has no sandlot.hcl and no *.sandlot.hcl"},
		{"a path through a file", "full/sandlot.hcl/x", "not a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := options(dir, nil)
			opts.Path = tt.path
			p, diags := config.Load(t.Context(), opts)
			if got := render(t, p, diags); !diags.HasErrors() || !strings.Contains(got, tt.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestDuplicatesAcrossFilesNameTheFirst(t *testing.T) {
	dir := write(t, map[string]string{"sandlot.hcl": plugins + one, "a.sandlot.hcl": "\n" + one})
	p, diags := config.Load(t.Context(), options(dir, nil))
	got := render(t, p, diags)
	if !strings.Contains(got, "(a.sandlot.hcl:2:1)") || !strings.Contains(got, `sandbox "one" is already declared at sandlot.hcl:3.`) {
		t.Errorf("got %s", got)
	}
}

func TestFilesAreRelativeToTheProject(t *testing.T) {
	dir := write(t, map[string]string{
		"p/sandlot.hcl": plugins + one + `
			variable "who" { default = "you" }
			locals { a = file("x.txt") }
			workspace "w" { env = {
				A = local.a
				B = templatefile("t.tmpl", { who = upper(var.who), list = ["x", "y"] })
			} }
			sandbox "three" {
				provider = provider.localprocess.here
				harness = harness.acp.main
				workspace = workspace.w
			}`,
		"p/x.txt":  "content",
		"p/t.tmpl": "hello ${who}%{ for x in list } ${x}%{ endfor }",
	})
	opts := options(dir, nil)
	opts.Path = "p"
	s := spec(t, loadOptions(t, opts), "three")
	want := map[string]config.Value{"A": config.Text("content"), "B": config.Text("hello YOU x y")}
	if diff := cmp.Diff(want, s.Workspace.Env); diff != "" {
		t.Error(diff)
	}
}

func TestFilesOfFunctionsAreBounded(t *testing.T) {
	dir := write(t, map[string]string{
		"big.txt": strings.Repeat("x", 1<<20+1), "bad.txt": "a\xff", "deep.tmpl": strings.Repeat("${[", 201), "self.tmpl": `${templatefile("self.tmpl", {})}`,
		"if.tmpl": strings.Repeat("%{ if true }", 300) + strings.Repeat("%{ endif }", 300), "deep.json": strings.Repeat("[", 100000),
	})
	tests := []struct{ name, expr, want string }{
		{"a large file", `file("big.txt")`, "larger than 1048576 bytes"},
		{"a file that isn't text", `file("bad.txt")`, "isn't valid UTF-8"},
		{"a folder", `file(".")`, "not a regular file"},
		{"a device that never ends", `file("/dev/zero")`, "not a regular file"},
		{"a template nested too deeply", `templatefile("deep.tmpl", {})`, "Nested too deeply"},
		{"a template of directives nested too deeply", `templatefile("if.tmpl", {})`, "Nested too deeply"},
		{"a template that includes itself", `templatefile("self.tmpl", {})`, `no function named "templatefile"`},
		{"a template of something else", `templatefile("self.tmpl", "x")`, "a map of the template's variables is needed"},
		{"JSON nested too deeply", `jsondecode(file("deep.json"))`, "nested more than 200 deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "sandlot.hcl"), []byte("locals { a = "+tt.expr+" }"), 0o644); err != nil {
				t.Fatal(err)
			}
			p, diags := config.Load(t.Context(), options(dir, nil))
			if got := render(t, p, diags); !strings.Contains(got, tt.want) || !strings.Contains(got, "sandlot.hcl:1:") {
				t.Errorf("got %s", got)
			}
		})
	}
}
