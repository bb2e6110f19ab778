package gitsource

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// tied leaves a command as it is: what it starts ends by itself when nobody takes
// what it prints.
func tied(*exec.Cmd) (release func(), err error) { return func() {}, nil }

// killTree ends git and what it has started.
func killTree(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() //nolint:noctx // it must happen whatever ctx says
	_ = p.Kill()                                                                // it fails only if it has ended
}
