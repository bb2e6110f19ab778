//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// usersFolder has a folder for each user besides the container's, in which there
// are its state and, for one without any, its home. Each makes its own.
const usersFolder = "users"

// openUsers makes the folder of all users. Where the container's own isn't root,
// whoever made the container has done so.
func openUsers(own string) error {
	dir := filepath.Join(own, usersFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o777|os.ModeSticky)
}

// enter makes the folder of a user who isn't the container's. What was there before
// must be that user's: anybody could have made it.
func enter(own, name string) (string, error) {
	dir := filepath.Join(own, usersFolder, name)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("the folder %s is another user's", dir)
	}
	return dir, os.Chmod(dir, 0o700)
}
