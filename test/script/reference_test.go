//go:build linux

package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReferencePagesAreCurrent compares docs/reference with what the programs say
// of themselves; -update writes it.
func TestReferencePagesAreCurrent(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "reference")
	found, err := filepath.Glob(filepath.Join(built, "plugins", "sandlot-*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no plugins: %v", err)
	}
	pages := map[string]bool{}
	for _, path := range found {
		name := strings.TrimPrefix(filepath.Base(path), "sandlot-")
		kind, typ, _ := strings.Cut(name, "-")
		cmd := exec.CommandContext(t.Context(), filepath.Join(built, "sandlot"), "plugin", "docs", "--kind", kind, typ)
		cmd.Env = append(os.Environ(), "SANDLOT_HOME="+t.TempDir())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		// Their version is that of the tests; a page has none.
		got := strings.Replace(string(out), "Version "+version+", protocol", "Protocol", 1)
		page := filepath.Join(dir, name+".md")
		pages[name+".md"] = true
		if *update {
			if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("docs/reference/%s.md isn't current; write it with go test ./test/script -run TestReference -update\n%s", name, diff)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !pages[e.Name()] {
			t.Errorf("docs/reference/%s is about no bundled plugin", e.Name())
		}
	}
}
