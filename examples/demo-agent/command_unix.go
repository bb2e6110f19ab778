//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killSession ends the command and all that is still in its process group. The
// command isn't reaped yet, so its group can't be somebody else's.
func killSession(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
