//go:build linux

package script

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// process is one that knows of a case's folders.
type process struct {
	pid  int
	args string
}

// processes are all that have one of the folders in their environment or work in
// one: hosts, drivers, plugins, agents and what agents started. Corpses don't count.
func processes(folders []string) ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		// Each of these can end while it is looked at: then it isn't left.
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(cmdline) == 0 {
			continue
		}
		for _, folder := range folders {
			if bytes.Contains(env, []byte(folder)) || strings.HasPrefix(cwd, folder) {
				found = append(found, process{pid, string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '}))})
				break
			}
		}
	}
	return found, nil
}

// nothingLeft fails the case if a process of its world outlives it, and ends what
// does. A plugin may take a moment to end by itself.
func nothingLeft(t testscript.T, folders ...string) {
	deadline := time.Now().Add(10 * time.Second)
	for {
		left, err := processes(folders)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for _, p := range left {
				t.Log(fmt.Sprintf("left running: %d %s", p.pid, p.args))
				if proc, err := os.FindProcess(p.pid); err == nil {
					_ = proc.Kill()
				}
			}
			t.FailNow()
		}
		<-time.After(20 * time.Millisecond)
	}
}
