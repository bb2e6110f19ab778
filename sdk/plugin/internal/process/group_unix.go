//go:build unix

package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

func killGroup(pid int) {
	_ = unix.Kill(-pid, unix.SIGKILL) // it fails only if none is left
}

// Alive reports whether a process is there; one that can't be asked is.
func Alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
