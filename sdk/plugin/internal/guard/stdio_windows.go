package guard

import (
	"os"

	"golang.org/x/sys/windows"
)

// swap puts null in place of stdin and stderr in place of stdout.
func swap(null *os.File) (*os.File, error) {
	handshake := os.Stdout
	if err := windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(null.Fd())); err != nil {
		return nil, err
	}
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, err
	}
	os.Stdin = null
	return handshake, nil
}

// closeOnExec has nothing to do: handles are inherited only where a child's
// creator lists them.
func closeOnExec() error { return nil }
