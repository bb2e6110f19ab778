package plugins

import (
	"io/fs"
	"syscall"
	"time"
)

// change is when a file or its entry was last changed, and what it is on.
func change(info fs.FileInfo) (at time.Time, device uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return at, 0, false
	}
	return time.Unix(st.Ctimespec.Unix()), uint64(uint32(st.Dev)), true
}
