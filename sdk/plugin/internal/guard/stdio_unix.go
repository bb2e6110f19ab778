//go:build unix

package guard

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// swap puts null in place of stdin and stderr in place of stdout, also for code
// that writes to descriptor 1 by its number.
func swap(null *os.File) (*os.File, error) {
	if err := dup(int(null.Fd()), 0); err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := dup(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "handshake"), nil
}

// markEach marks the descriptors that a folder of the system lists.
func markEach(folder string) error {
	list, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err == nil && fd > 2 {
			unix.CloseOnExec(fd) // the folder's own descriptor is closed by now
		}
	}
	return nil
}
