package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// settleFolder is for the calls of settle.
const settleFolder = "/.sandlot"

// prepare gives a user the folders that it works in. A root that was there, with
// something in it, is the image's, and left as it is.
func prepare(name, root, own string) error {
	uid, gid, err := ids(name)
	if err != nil {
		return err
	}
	state := filepath.Join(own, "state")
	if _, err := os.Lstat(state); err == nil {
		return nil // it is made last, and own is nobody else's
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	inside, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	folders := []string{settleFolder, state}
	if !hasHome(uid) {
		folders = append([]string{spareHome}, folders...)
	}
	if len(inside) == 0 {
		folders = append([]string{root}, folders...)
	}
	for _, dir := range folders {
		err := give(dir, uid, gid)
		if dir == settleFolder && errors.Is(err, unix.EROFS) {
			continue // no snapshot can be made of such a container
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func give(dir string, uid, gid int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Lchown(dir, uid, gid)
}

// hasHome reports whether the image has a home for the user.
func hasHome(uid int) bool {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil || !filepath.IsAbs(u.HomeDir) || u.HomeDir == "/" {
		return false
	}
	st, err := os.Stat(u.HomeDir)
	return err == nil && st.IsDir()
}

// ids reads a user as Docker writes one: a name or a number, with or without a
// group after a colon.
func ids(name string) (uid, gid int, err error) {
	name, group, _ := strings.Cut(name, ":")
	uid, err = strconv.Atoi(name)
	if err != nil {
		u, err := user.Lookup(name)
		if err != nil {
			return 0, 0, fmt.Errorf("the container has no user %s: %w", name, err)
		}
		uid, _ = strconv.Atoi(u.Uid)
		gid, _ = strconv.Atoi(u.Gid)
	} else if u, err := user.LookupId(name); err == nil {
		gid, _ = strconv.Atoi(u.Gid)
	}
	if group == "" {
		return uid, gid, nil
	}
	if n, err := strconv.Atoi(group); err == nil {
		return uid, n, nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, 0, fmt.Errorf("the container has no group %s: %w", group, err)
	}
	gid, err = strconv.Atoi(g.Gid)
	return uid, gid, err
}
