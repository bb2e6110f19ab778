//go:build linux

package e2e

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// top is the repository's folder.
func top() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

func TestTheQuickstartRunsAndLeavesNothing(t *testing.T) {
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

func TestEveryExampleIsValid(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(top(), "examples", "*.hcl"))
	if err != nil || len(found) == 0 {
		t.Fatalf("examples: %v, %v", found, err)
	}
	for _, f := range found {
		newDemo(t).run("validate", "-f", f).want(t, 0)
	}
}
