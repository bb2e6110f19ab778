package guard

import (
	"math"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup3(from, to, 0) }

// closeOnExec marks all from 3 up at once; kernels before 5.11 can't.
func closeOnExec() error {
	if unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	return markEach("/proc/self/fd")
}
