//go:build unix

package format

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file another's owner and group, so that root's formatting
// doesn't take a user's file away. Nobody else may give files away.
func keepOwner(f *os.File, like fs.FileInfo) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
