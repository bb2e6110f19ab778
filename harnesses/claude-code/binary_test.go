package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

func TestThePluginBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandlot-harness-claude-code")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}

	t.Run("describes itself", func(t *testing.T) {
		out, err := exec.Command(path, "describe").Output()
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Kind, Type string
			Traits     harness.Traits
		}
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		if d.Kind != "harness" || d.Type != harnessType || d.Traits.TestedTo != testedTo || !strings.Contains(d.Traits.Install, testedTo) {
			t.Errorf("description %+v", d)
		}
	})

	t.Run("reads a capture", func(t *testing.T) {
		open := harnesstest.Binary(t, path, []byte(`{"max_turns":3}`), "PATH="+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
		start := harness.Start{Run: "r", Prompt: "Do the task", Policy: free(), Workspace: harness.Workspace{Root: "/tmp/repo"}}
		record := harnesstest.Replay(t, open, start, readFile(t, "testdata/edit-command-partial.ndjson"), harnesstest.Options{Slices: 1})
		harnesstest.Golden(t, "testdata/edit-command-partial.golden", record, false)
	})
}
