//go:build unix

package plugin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain builds the test plugin once. In a process that a test started in
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
	bin := filepath.Join(dir, "sandlot-provider-plain")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/plugin").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build test plugin: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("TEST_PLUGIN", bin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
