//go:build unix

package guard

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Terminated delivers the signals that end a plugin: TERM is also what Linux
// sends when the host dies. PIPE is taken and dropped: when the host has gone,
// writing to stderr must not end the process before it has cleaned up. It isn't
// set to be ignored, since children would inherit that.
func Terminated() <-chan os.Signal {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, unix.SIGPIPE)
	term := make(chan os.Signal, 1)
	signal.Notify(term, unix.SIGTERM)
	return term
}
