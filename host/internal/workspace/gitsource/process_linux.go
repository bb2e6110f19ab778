package gitsource

import "syscall"

// attributes ask for a group of its own, which can be killed whole, and for the
// end of git when we die.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
