//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built is the folder of the programs under test, as `make build` lays it out.
var built string

func TestMain(m *testing.M) {
	if program := os.Getenv(shieldEnv); program != "" {
		fmt.Fprintln(os.Stderr, "become a plugin:", shielded(program))
		os.Exit(1)
	}
	if os.Getenv(mcpEnv) != "" {
		serveMCP(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs under test:", err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
	if built = os.Getenv(builtEnv); built != "" {
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	built = filepath.Join(dir, "bin")
	for _, p := range []struct{ module, pkg, out string }{
		{".", "./host/cmd/sandlot", "sandlot"},
		{".", "./examples/demo-agent", "sandlot-demo-agent"},
		{".", "./plugins/localprocess", "plugins/sandlot-provider-localprocess"},
		{".", "./plugins/docker", "plugins/sandlot-provider-docker"},
		{".", "./harnesses/acp", "plugins/sandlot-harness-acp"},
		{".", "./harnesses/claude-code", "plugins/sandlot-harness-claude-code"},
		{"examples/harness-minimal", ".", "plugins/sandlot-harness-minimal"},
		{".", "./test/e2e/testdata/faulty", "faulty/sandlot-provider-faulty"},
	} {
		if err := goBuild(p.module, p.out, p.pkg); err != nil {
			return 0, err
		}
	}
	for _, tool := range []string{"git", "sh"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			return 0, err
		}
		if err := os.Symlink(path, filepath.Join(built, tool)); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}

// goBuild builds a program into the folder of those under test. With
// SANDLOT_E2E_RACE set it has the race detector in it.
func goBuild(module, out string, args ...string) error {
	cgo, race := "CGO_ENABLED=0", "-race=false"
	if os.Getenv("SANDLOT_E2E_RACE") != "" {
		cgo, race = "CGO_ENABLED=1", "-race"
	}
	cmd := exec.Command("go", append([]string{"build", "-trimpath", race, "-o", filepath.Join(built, out)}, args...)...)
	cmd.Dir = filepath.Join(top(), module)
	cmd.Env = append(os.Environ(), cgo)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", out, err, said)
	}
	return nil
}
