//go:build unix

package plugin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain builds the test plugins once. In a process that a test started in
// another role it plays that role.
func TestMain(m *testing.M) {
	if role := os.Getenv("TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, p := range []struct{ variable, source, name string }{
		{"TEST_PLUGIN", "./testdata/plugin", "sandlot-provider-plain"},
		{"TEST_HARNESS", "./testdata/harness", "sandlot-harness-echo"},
	} {
		bin := filepath.Join(dir, p.name)
		build := exec.Command("go", "build", "-trimpath", "-o", bin, p.source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		if err == nil {
			err = os.Setenv(p.variable, bin)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", p.source, err, out)
			return 1
		}
	}
	return m.Run()
}
