//go:build !linux

package leakcheck

import "errors"

// Process is a process of this machine.
type Process struct {
	PID     int
	PPID    int
	State   byte // R, S, D, T, Z
	Command string
}

var errNoProc = errors.New("list processes: this system has no /proc")

// Processes needs Linux.
func Processes(string) ([]Process, error) { return nil, errNoProc }

// Zombies needs Linux.
func Zombies(int) ([]Process, error) { return nil, errNoProc }
