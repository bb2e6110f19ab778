//go:build unix && !linux

package guard

import "golang.org/x/sys/unix"

func dup(from, to int) error { return unix.Dup2(from, to) }

func closeOnExec() error { return markEach("/dev/fd") }
