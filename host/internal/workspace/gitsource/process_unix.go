//go:build unix

package gitsource

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// killTree ends git and what it has started, which stays in its group.
func killTree(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) } // it fails only if none is left

// watcher is a shell that becomes git, and leaves one behind that waits for a line
// from us. If we are gone before there is one, it ends the whole group.
const watcher = `{ read -r line || kill -KILL 0; } <&3 3<&- >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

// tied makes a command, and all that it starts, end with us, however we end: git
// itself dies by a signal of the kernel's, at best, and leaves what it has started
// to talk to a server, with the token in its environment. Call release when the
// command has ended.
func tied(cmd *exec.Cmd) (release func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	cmd.Args = append([]string{"sh", "-c", watcher, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = []*os.File{r}
	return func() {
		_, _ = w.WriteString("\n") // it fails if the watcher was ended with the rest
		_ = w.Close()
		_ = r.Close()
	}, nil
}
