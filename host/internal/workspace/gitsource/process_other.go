//go:build unix && !linux

package gitsource

import "syscall"

// attributes ask for a group of its own, which can be killed whole.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
