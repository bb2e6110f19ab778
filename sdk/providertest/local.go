package providertest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// seesProcesses reports whether the sandbox's processes can be looked for in
// this machine's process table.
func (b *bed) seesProcesses() bool {
	_, err := leakcheck.Processes("")
	return b.isLocal() && err == nil
}

// processes lists this machine's living processes with word in their arguments
// or environment: the second opinion where seesProcesses.
func (b *bed) processes(word string) []leakcheck.Process {
	b.Helper()
	list, err := leakcheck.Processes(word)
	b.noError("look for processes", err)
	return list
}

// noZombies waits until a plugin process has no dead child that it hasn't
// reaped.
func (b *bed) noZombies(p *Plugin) {
	b.Helper()
	if p.PID == 0 {
		return
	}
	var zombies []leakcheck.Process
	clean := b.within(5*time.Second, func() bool {
		zombies, _ = leakcheck.Zombies(p.PID)
		return len(zombies) == 0
	})
	if !clean {
		b.Errorf("zombie children of plugin process %d: %+v", p.PID, zombies)
	}
}

// memory is the resident memory of a plugin process in bytes; 0: unknown.
func (p *Plugin) memory() int64 {
	if !p.apart() {
		return 0
	}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// localDir makes a folder of this machine outside of every sandbox.
func (b *bed) localDir() string {
	b.Helper()
	dir, err := os.MkdirTemp("", "sandlot-outside-")
	b.noError("make a folder", err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
