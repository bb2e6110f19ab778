//go:build unix

package checkup

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite asks whether a folder could be written, and leaves it alone.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// mine reports whether a file is this user's.
func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}
