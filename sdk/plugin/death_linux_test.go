package plugin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

func TestAKilledHostTakesItsPluginAlong(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "wrapper")
	writeProgram(t, wrapper, "#!/bin/sh\n"+os.Getenv("TEST_PLUGIN")+"\nexit $?\n", 0o755)
	t.Run("its own child, by the death signal", func(t *testing.T) { killHost(t, os.Getenv("TEST_PLUGIN")) })
	// The signal ends the wrapper only; the plugin sees that its parent has gone.
	t.Run("the child of a wrapper, by the watch on the parent", func(t *testing.T) { killHost(t, wrapper) })
}

func killHost(t *testing.T, program string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := newWatched()
	host := exec.Command(self)
	host.Env = append(os.Environ(), "TEST_ROLE=host", "TEST_PLUGIN="+program, "TEST_DIR="+t.TempDir())
	host.Stdout, host.Stderr = out, os.Stderr
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(strings.Fields(out.String())) == 5 })
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = host.Wait() // killed, as it should be

	var gone, stays []int
	for _, f := range strings.Fields(out.String()) {
		word, id, _ := strings.Cut(f, "=")
		pid, err := strconv.Atoi(id)
		switch {
		case err != nil:
			t.Fatalf("printed %q", f)
		case word == "gone":
			gone = append(gone, pid)
		default:
			stays = append(stays, pid)
		}
	}
	await(t, func() bool {
		for _, pid := range gone {
			if running(pid) {
				return false
			}
		}
		return true
	})
	if took := time.Since(killed); took > 2*time.Second {
		t.Errorf("plugin and process tree took %s to end, want 2 s at most", took)
	}
	for _, pid := range stays {
		if !running(pid) {
			t.Errorf("process %d is detached and must go on", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may share the other's fate
	}
}

func TestAGrandchildInThePluginsGroupEndsWithIt(t *testing.T) {
	dir := t.TempDir()
	path, pids := filepath.Join(dir, "wrapper"), filepath.Join(dir, "pid")
	writeProgram(t, path, fmt.Sprintf(`#!/bin/sh
sh -c 'trap "" TERM HUP; echo $$ > %s; while :; do sleep 0.05; done' &
exec %s
`, pids, os.Getenv("TEST_PLUGIN")), 0o755)
	for _, how := range []string{"close", "crash"} {
		c, _ := launched(t, func(o *plugin.LaunchOptions) { o.Path = path })
		var pid int
		await(t, func() bool {
			data, err := os.ReadFile(pids)
			if err == nil {
				pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
			}
			return err == nil && running(pid)
		})
		if how == "close" {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			id, err := strconv.Atoi(c.PID())
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			<-c.Done()
		}
		await(t, func() bool { return !running(pid) })
		if err := os.Remove(pids); err != nil {
			t.Fatal(err)
		}
	}
}
