package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/format"
)

func TestAFileThatWasChangedMeanwhileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.hcl")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("a=1\n")
	f, err := format.File(path, "a.hcl")
	if err != nil {
		t.Fatal(err)
	}
	put("b=2\n")
	if err := f.Replace(path); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("replaced: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != "b=2\n" {
		t.Errorf("now %q, %v", now, err)
	}
}
