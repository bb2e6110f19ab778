//go:build linux

package script

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what cases compare with cmp into their files")

// TestCases runs all cases, each with folders of its own.
func TestCases(t *testing.T) {
	dependOnSources(t)
	folders, err := filepath.Glob(filepath.Join("testdata", "*", ""))
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir:                 folder,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				UpdateScripts:       *update,
				Setup:               func(env *testscript.Env) error { return world(env, here) },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"exits": exits, "until": until, "json": jsonLines, "terminal": terminal, "gitserve": gitserve,
				},
			})
		})
	}
}

// world gives a case a user's machine: a home, a state folder, an empty folder to
// work in, and the programs on PATH.
func world(env *testscript.Env, here string) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	// Short, as sockets are made in it; a case's own folder has the length of its name.
	temp, err := os.MkdirTemp("", "case")
	if err != nil {
		return err
	}
	env.Defer(func() {
		defer os.RemoveAll(temp) // also after a failure
		nothingLeft(env.T(), env.WorkDir, temp)
	})
	for name, value := range map[string]string{
		"PATH": built + ":" + filepath.Join(here, "faults") + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR": temp, "LANG": "C.UTF-8",
		"HOME": home, "SANDLOT_HOME": filepath.Join(env.WorkDir, "state"),
		"XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_DATA_HOME": filepath.Join(home, "data"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"DEMO": filepath.Join(here, "testdata", "demo.hcl"), "POLICYDEMO": filepath.Join(here, "testdata", "policy.hcl"), "GITDEMO": filepath.Join(here, "testdata", "git.hcl"), "PLUGINS": filepath.Join(built, "plugins"), "VERSION": version,
	} {
		env.Setenv(name, value)
	}
	return nil
}
