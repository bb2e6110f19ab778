package proctree

import (
	"os"
	"syscall"
)

// macOS has no cgroups.
const cgroupPrefix = ""

func ownCgroup() string                         { return "" }
func makeCgroup(string) (*os.File, error)       { return nil, ErrUnsupported }
func intoCgroup(*syscall.SysProcAttr, *os.File) {}
func cgroupPIDs(string) []int                   { return nil }
func killCgroup(string, map[int]bool) bool      { return false }
func cgroupEnded(string) bool                   { return true }
func dropCgroup(string) error                   { return nil }
func oomKilled(string) bool                     { return false }

// pidSpace is one: macOS has no namespaces.
func pidSpace() string { return "" }
