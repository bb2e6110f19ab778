//go:build unix

package filetail

import (
	"os"
	"syscall"
)

// removed reports whether an open file has no name any more.
func removed(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
