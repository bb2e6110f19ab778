package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped throws away what was typed and not read yet. It was meant for
// another question; a terminal that can't do it has nothing typed.
func dropTyped(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
