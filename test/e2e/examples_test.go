//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// top is the repository's folder.
func top() string {
	dir, err := filepath.Abs("../..") // tests run in the folder of their package
	if err != nil {
		panic(err)
	}
	return dir
}

func TestTheQuickstartRunsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	said := word()
	example := filepath.Join(top(), "examples", "quickstart.hcl")
	r := s.run("run", "-f", example, "--approve", "yes",
		"say "+said+"\nwrite a.txt: x\nrun cat a.txt\nask run echo "+word()).want(t, 0)
	if !strings.Contains(r.stdout, said) || !strings.Contains(r.stderr, "a.txt") {
		t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
	if left := s.roots(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTheWorkspaceExampleMakesTheSandboxReadyOnce(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.env[0] += ":/usr/bin:/bin" // setup needs more programs than sh
	example := filepath.Join(top(), "examples", "workspace.hcl")
	r := s.run("run", "-f", example, "read ready.txt").want(t, 0)
	if !strings.Contains(r.stdout+r.stderr, "configurations, for everybody, in "+s.root()) || !strings.Contains(r.stderr, "│") {
		t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
	if source, err := os.ReadFile(example); err != nil || s.file("workspace.hcl") != string(source) {
		t.Errorf("the source isn't there: %v", err)
	}
	s.run("run", "-f", example, "-c", "write ready.txt: kept").want(t, 0)
	again := s.run("run", "-f", example, "-c", "read ready.txt").want(t, 0)
	if !strings.Contains(again.stdout+again.stderr, "kept") || strings.Contains(again.stderr, "setup") {
		t.Errorf("the second run: %q %q", again.stdout, again.stderr)
	}
}

func TestEveryExampleIsValid(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(top(), "examples", "*.hcl"))
	if err != nil || len(found) == 0 {
		t.Fatalf("examples: %v, %v", found, err)
	}
	for _, f := range found {
		newDemo(t).run("validate", "-f", f).want(t, 0)
	}
}

func TestTheReadmesFileIsValidAndLaidOut(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(top(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```hcl\n")
	file, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("the README has no configuration")
	}
	s := newDemo(t)
	path := filepath.Join(t.TempDir(), "sandlot.hcl")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("validate", "-f", path).want(t, 0)
	s.run("fmt", "--check", path).want(t, 0)
}
