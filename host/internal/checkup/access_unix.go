//go:build unix

package checkup

import "golang.org/x/sys/unix"

// mayWrite asks whether a folder could be written, and leaves it alone.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
