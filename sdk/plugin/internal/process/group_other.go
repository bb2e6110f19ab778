//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// attributes ask for a group of its own. There is no signal for the host's
// death here: the SDK looks at the parent.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit waits for the end of a child. It is reaped by that: there is no way
// here to wait without it, so its group is killed a moment late.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// hasExited can't be told here without reaping the child.
func hasExited(int) bool { return false }
