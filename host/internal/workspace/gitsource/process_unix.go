//go:build unix

package gitsource

import (
	"os"

	"golang.org/x/sys/unix"
)

// killTree ends git and what it has started, which stays in its group.
func killTree(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) } // it fails only if none is left
