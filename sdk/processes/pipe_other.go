//go:build !linux

package processes

import "os"

// outputPipe makes a pipe whose writing end is for a process.
func outputPipe() (r, w *os.File, err error) { return os.Pipe() }

// widen does nothing where a pipe's size can't be set.
func widen(source, int) {}
