package leakcheck

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Process is a process of this machine.
type Process struct {
	PID     int
	PPID    int
	State   byte // R, S, D, T, Z
	Command string
}

// Processes lists the processes, zombies excepted, that have word in an
// argument or in the environment: the heartbeat folder's name finds the tree
// of Script, environment or not.
func Processes(word string) ([]Process, error) {
	return list(func(p Process, dir string) bool {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // another user's can't be read
		return p.State != 'Z' && p.PID != os.Getpid() &&
			(bytes.Contains([]byte(p.Command), []byte(word)) || bytes.Contains(env, []byte(word)))
	})
}

// Zombies lists the zombies whose parent is parent.
func Zombies(parent int) ([]Process, error) {
	return list(func(p Process, _ string) bool { return p.State == 'Z' && p.PPID == parent })
}

func list(want func(p Process, dir string) bool) ([]Process, error) {
	dirs, err := filepath.Glob("/proc/[1-9]*")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var out []Process
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has left
		}
		p := Process{}
		if p.PID, err = strconv.Atoi(filepath.Base(dir)); err != nil {
			continue
		}
		rest := stat[bytes.LastIndexByte(stat, ')')+1:]
		if _, err := fmt.Sscanf(string(rest), " %c %d", &p.State, &p.PPID); err != nil {
			return nil, fmt.Errorf("read %s/stat: %w", dir, err)
		}
		cmd, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		p.Command = string(bytes.ReplaceAll(cmd, []byte{0}, []byte{' '}))
		if want(p, dir) {
			out = append(out, p)
		}
	}
	return out, nil
}
