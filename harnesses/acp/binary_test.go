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

// build makes the plugin as it is shipped.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sandlot-harness-acp")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

func TestThePluginBinary(t *testing.T) {
	path := build(t)
	agent, err := demoAgent()
	if err != nil {
		t.Fatal(err)
	}

	t.Run("describes itself", func(t *testing.T) {
		out, err := exec.Command(path, "describe").Output()
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Kind, Type, Version string
			Traits              harness.Traits
		}
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		if d.Kind != "harness" || d.Type != "acp" || d.Version != version || d.Traits.Commands != harness.EnforcesByAsking {
			t.Errorf("description %+v", d)
		}
		for _, attribute := range []string{"command", "env", "auth_method", "mode"} {
			if !strings.Contains(string(out), `"`+attribute+`"`) {
				t.Errorf("no attribute %q in %s", attribute, out)
			}
		}
	})

	t.Run("drives an agent", func(t *testing.T) {
		conf, err := json.Marshal(map[string]any{"command": []string{agent}, "mode": "ask", "env": map[string]string{"A": "b"}})
		if err != nil {
			t.Fatal(err)
		}
		out := run(t, harnesstest.Script{
			Open: harnesstest.Binary(t, path, conf, "PATH="+os.Getenv("PATH"), "TMPDIR="+t.TempDir()),
			Start: harness.Start{
				Run: "run", Prompt: "run echo $A > x.txt\nsay done",
				Workspace: harness.Workspace{Root: t.TempDir(), StateDir: t.TempDir()},
			},
		})
		if out.Result.Reason != harness.ReasonOK || len(out.Asks) != 1 || !strings.Contains(text(t, out), "done") {
			t.Errorf("result %+v, %d asks, text %q", out.Result, len(out.Asks), text(t, out))
		}
	})
}
