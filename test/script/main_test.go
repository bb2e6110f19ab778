//go:build linux

package script

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built is the folder of the programs under test, as `make build` lays it out.
// They are built by each run of the tests, so they are never stale.
var built string

// version is what the programs under test say theirs is.
const version = "0.9.0"

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs under test:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "script")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	built = filepath.Join(dir, "bin")
	if err := os.Mkdir(built, 0o700); err != nil {
		return 0, err
	}
	programs := map[string]string{ // by package
		"host/cmd/sandlot":      "sandlot",
		"examples/demo-agent":   "sandlot-demo-agent",
		"plugins/localprocess":  "plugins/sandlot-provider-localprocess",
		"plugins/docker":        "plugins/sandlot-provider-docker",
		"harnesses/acp":         "plugins/sandlot-harness-acp",
		"harnesses/claude-code": "plugins/sandlot-harness-claude-code",
	}
	// One build for all: they share most of what is compiled and linked.
	args := []string{"build", "-trimpath", "-ldflags", "-s -w -X main.version=" + version, "-o", dir + string(filepath.Separator)}
	for pkg := range programs {
		args = append(args, "./"+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, said)
	}
	for pkg, to := range programs {
		to = filepath.Join(built, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return 0, err
		}
		if err := os.Rename(filepath.Join(dir, filepath.Base(pkg)), to); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}
