package policy

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrdinaryScriptsAreAllowed reads the scripts in the package.json files that
// npm itself brings along: what people write must not be asked about.
func TestOrdinaryScriptsAreAllowed(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "npm", "root", "-g").Output()
	if err != nil {
		t.Fatalf("this test reads the packages that npm brings along: %v", err)
	}
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"sudo", "shutdown *"}, Ask: []string{"npm publish"}}}
	all, allowed := 0, 0
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "npm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "package.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var pkg struct{ Scripts map[string]string }
		if json.Unmarshal(data, &pkg) != nil {
			return nil // a package's own test data
		}
		for _, script := range pkg.Scripts {
			if strings.Contains(script, "npm publish") {
				continue
			}
			all++
			if d := Decide(p, Request{Command, script}); d.Action == Allow {
				allowed++
			} else {
				t.Logf("%s by %s: %s", d.Action, d.Rule, script)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all < 1000 || allowed*100 < all*99 {
		t.Errorf("%d of %d scripts are allowed; want at least 99 %% of at least 1000", allowed, all)
	}
}
