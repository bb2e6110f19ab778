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
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs under test:", err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
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
		{".", "./harnesses/acp", "plugins/sandlot-harness-acp"},
		{"examples/harness-minimal", ".", "plugins/sandlot-harness-minimal"},
		{".", "./test/e2e/testdata/faulty", "faulty/sandlot-provider-faulty"},
	} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(built, p.out), p.pkg)
		cmd.Dir = filepath.Join(top(), p.module)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", p.pkg, err, out)
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
