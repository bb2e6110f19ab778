package guard

import (
	"fmt"
	"os"
)

// Stdio points stdin at the null device, sends what is written to stdout to
// stderr, and marks every other descriptor close-on-exec. It returns the real
// stdout, for the handshake.
func Stdio() (handshake *os.File, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	handshake, err = swap(null)
	if err != nil {
		return nil, fmt.Errorf("redirect standard streams: %w", err)
	}
	if err := closeOnExec(); err != nil {
		return nil, fmt.Errorf("mark descriptors close-on-exec: %w", err)
	}
	return handshake, nil
}
