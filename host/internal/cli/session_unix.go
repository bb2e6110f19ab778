//go:build unix

package cli

import "syscall"

// ownSession detaches a driver from the terminal and its signals.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
