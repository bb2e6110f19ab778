//go:build unix

package gitsource

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file for this process alone; false: somebody else has it.
// The system lets go of it when the process ends, however it does.
func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}
