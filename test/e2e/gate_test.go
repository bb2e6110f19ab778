//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// gatedPlugins is a folder with the harness of the minimal agent and with
// localprocess as it is, but for a gate around each call of its host. See
// testdata/gate.
var gatedPlugins = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(built, "gated")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil // another process of these tests has built it
	}
	source := filepath.Join(top(), "plugins/localprocess")
	main, err := os.ReadFile(filepath.Join(source, "main.go"))
	if err != nil {
		return "", err
	}
	const made = "New: newProvider"
	if !strings.Contains(string(main), made) {
		return "", fmt.Errorf("%s/main.go has no %q any more", source, made)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	over := filepath.Join(built, "gated.go")
	if err := os.WriteFile(over, []byte(strings.Replace(string(main), made, "New: gated", 1)), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(source, "main.go"):    over,
		filepath.Join(source, "e2egate.go"): filepath.Join(top(), "test/e2e/testdata/gate/gate.go"),
	}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(built, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	if err := goBuild(".", "gated/sandlot-provider-localprocess", "-overlay", file, "./plugins/localprocess"); err != nil {
		return "", err
	}
	const harness = "sandlot-harness-minimal"
	return dir, os.Link(filepath.Join(built, "plugins", harness), filepath.Join(dir, harness))
})

// gate stops the provider plugin of a stage at a call.
type gate struct {
	*stage
	dir  string
	gave []string // files that the agent was given
	seen []string // the calls of a run that has ended, from finish
}

func newGate(t *testing.T) *gate {
	t.Helper()
	plugins, err := gatedPlugins()
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{stage: newMinimal(t), dir: t.TempDir()}
	g.edit("sandbox \"minimal\" {", "workspace \"w\" {\n  setup { run = [\"echo x >>setups\"] }\n}\nsandbox \"minimal\" {\n  workspace = workspace.w")
	g.env = append(g.env, "SANDLOT_PLUGIN_DIR="+plugins, "SANDLOT_GATE="+g.dir)
	return g
}

// calls are those that the host has made so far, as "before x" and "after x".
func (g *gate) calls() []string {
	data, err := os.ReadFile(filepath.Join(g.dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		g.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// hold stops the next plugin that comes to the call.
func (g *gate) hold(call string) {
	g.t.Helper()
	g.put("hold", call)
}

// open lets whoever waits go on.
func (g *gate) open() {
	g.t.Helper()
	for _, name := range []string{"hold", "held"} {
		if err := os.Remove(filepath.Join(g.dir, name)); err != nil && !os.IsNotExist(err) {
			g.t.Fatal(err)
		}
	}
}

// held is the plugin that waits at the gate; 0 if none does.
func (g *gate) held() int {
	data, err := os.ReadFile(filepath.Join(g.dir, "held"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		return 0 // it is being written
	}
	return pid
}

// await waits until a plugin has come to the gate, and returns its pid.
func (g *gate) await() int {
	g.t.Helper()
	until(g.t, 20*time.Second, "the provider comes to the gate", func() bool { return g.held() != 0 })
	return g.held()
}

// put writes a file whole: a reader sees all of it or none.
func (g *gate) put(name, text string) {
	g.t.Helper()
	tmp := filepath.Join(g.dir, "."+name)
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(g.dir, name)); err != nil {
		g.t.Fatal(err)
	}
}

// kill ends a process the hard way and waits until it is gone.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
	ended(t, pid)
}

// ended waits until a process is gone, or only its corpse is there.
func ended(t *testing.T, pid int) {
	t.Helper()
	until(t, 20*time.Second, "process "+strconv.Itoa(pid)+" is gone", func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}
