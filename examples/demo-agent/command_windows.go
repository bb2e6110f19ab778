package main

import (
	"os/exec"
	"syscall"
)

func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killSession(cmd *exec.Cmd) error { return cmd.Process.Kill() }
