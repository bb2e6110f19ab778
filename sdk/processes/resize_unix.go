//go:build unix

package processes

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// resize holds on to the descriptor while it is used: the reader of the terminal
// may close it at any moment, and then its number may be another file's.
func resize(screen *os.File, size sandbox.Size) error {
	conn, err := screen.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
	})
	if err != nil {
		return err
	}
	return failed
}
