//go:build unix

package process

import (
	"io/fs"
	"os"
	"syscall"
)

// Mine reports whether a file is of the user that this process is.
func Mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
