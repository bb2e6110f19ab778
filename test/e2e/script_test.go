//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script: each file is one story of the command line.
// `sandlot` on their PATH is the built program; $DEMO is the configuration that
// the other tests use.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", built)
			home := filepath.Join(env.WorkDir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("SANDLOT_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("PLUGINS", filepath.Join(built, "plugins"))
			return os.WriteFile(filepath.Join(env.WorkDir, "sandlot.hcl"), []byte(fmt.Sprintf(demo, "10m")), 0o600)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "waits": waits},
	})
}

// exits runs a command that must end with that code: exits CODE PROGRAM [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = err.Error()
	}
	want := args[0]
	if want != "0" {
		want = "exit status " + want
	}
	if got != want {
		ts.Fatalf("ended with %s, want %s", got, want)
	}
}

// waits returns when a run waits on a request: waits RUN.
func waits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waits RUN")
	}
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		ts.Check(ts.Exec("sandlot", "runs", "--json"))
		for line := range strings.Lines(ts.ReadFile("stdout")) {
			if strings.Contains(line, `"run":"`+args[0]+`"`) && strings.Contains(line, `"waiting_on"`) {
				return
			}
		}
		until20ms()
	}
	ts.Fatalf("run %s waits on nothing:\n%s", args[0], ts.ReadFile("stdout"))
}
