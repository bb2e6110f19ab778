//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// settle writes out all that programs have written to files, makes a file in folder
// that is newer than all of it, says so, and stays until its stdin ends. There is
// one at a time: another waits. The folder's is the only file but the lock.
func settle(folder, token string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	lock, err := root.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // and so the lock is given up
	if err := flock(lock); err != nil {
		return err
	}
	if err := writeOut(root, token); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "settled"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func flock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func writeOut(root *os.Root, token string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != "lock" {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	f, err := root.OpenFile(token, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return unix.Syncfs(int(f.Fd()))
}
