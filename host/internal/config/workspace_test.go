package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const filled = `
provider "localprocess" "here" {}
harness "acp" "main" { command = ["agent"] }
workspace "w" {
  source "local" { path = "/usr" }
  setup {
    run     = ["one", "two"]
    timeout = "5m"
    retries = 2
  }
  setup { run = ["three"] }
}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = workspace.w
}
`

func TestSourceAndSetupAreResolved(t *testing.T) {
	s := spec(t, load(t, filled), "")
	want := config.Workspace{
		Name: "w", Source: config.Source{Kind: "local", Path: "/usr"},
		Setup: []config.Setup{
			{Run: []string{"one", "two"}, Timeout: 5 * time.Minute, Retries: 2},
			{Run: []string{"three"}, Timeout: 30 * time.Minute},
		},
	}
	s.Workspace.Env = nil
	if diff := cmp.Diff(want, s.Workspace); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAKeyTakesOfSourceAndSetup(t *testing.T) {
	tests := []struct {
		name, old, new string
		same           bool
	}{
		{"the source's path", `"/usr"`, `"/etc"`, false},
		{"another way to the same folder", `"/usr"`, `"/usr/../usr/"`, true},
		{"no source", `source "local" { path = "/usr" }`, ``, false},
		{"what is left out", `path = "/usr"`, "\npath = \"/usr\"\ngitignore = true\n", false},
		{"a command", `"two"`, `"too"`, false},
		{"the order of commands", `"one", "two"`, `"two", "one"`, false},
		{"one shell instead of two", `["one", "two"]`, `["one", "two", "three"]`, false},
		{"how long a command may take", `"5m"`, `"6m"`, true},
		{"how often it is tried", `retries = 2`, `retries = 3`, true},
	}
	base := keyOf(t, filled, "t", "", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(filled, tt.old) {
				t.Fatalf("%q isn't in the configuration", tt.old)
			}
			if got := keyOf(t, strings.Replace(filled, tt.old, tt.new, 1), "t", "", ""); (got == base) != tt.same {
				t.Errorf("same key: %v, want %v", got == base, tt.same)
			}
		})
	}
	none := strings.Replace(filled, `source "local" { path = "/usr" }`, `source "none" {}`, 1)
	if keyOf(t, none, "t", "", "") != keyOf(t, strings.Replace(filled, `source "local" { path = "/usr" }`, ``, 1), "t", "", "") {
		t.Error(`source "none" isn't the same as no source`)
	}
}

func TestASourceIsRelativeToTheFileThatNamesIt(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"project", "src"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../src", filepath.Join(top, "project", "link")); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(top, "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../src", "link", "./../src/"} {
		text := strings.Replace(filled, "/usr", path, 1)
		if err := os.WriteFile(filepath.Join(top, "project", "sandlot.hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opts := options(top, nil)
		opts.Path = "project"
		p, diags := config.Load(t.Context(), opts)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := spec(t, p, "").Workspace.Source.Path; got != real {
			t.Errorf("%s is %s, want %s", path, got, real)
		}
	}
}
