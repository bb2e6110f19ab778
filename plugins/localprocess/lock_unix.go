//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFolder keeps other processes of this program from making sandboxes in
// the folder meanwhile. It leaves no file: the folder itself is locked.
func lockFolder(ctx context.Context, folder string) (unlock func(), err error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = unix.Flock(int(dir.Fd()), unix.LOCK_UN); _ = dir.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", folder, err), dir.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), dir.Close())
		case <-time.After(2 * time.Millisecond):
		}
	}
}
