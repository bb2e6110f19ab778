//go:build unix

package plugins

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// refuse says why a file may not be run, and what would change that: whoever
// can write a plugin, or put another in its place, can run what he likes with
// the host's credentials.
func refuse(path string) (why, fix string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "it is a link that leads nowhere", ""
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return err.Error(), ""
	case !info.Mode().IsRegular():
		return "it is not a file", ""
	case info.Mode().Perm()&0o111 == 0:
		return "it is not executable", "chmod +x " + real
	case info.Mode().Perm()&0o022 != 0:
		return "others may write the file", "chmod go-w " + real
	case !trusted(info):
		return fmt.Sprintf("the file is owned by another user (%d)", owner(info)), ""
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(real)} {
		if why, fix := refuseFolder(dir); why != "" {
			return why, fix
		}
	}
	return "", ""
}

func refuseFolder(dir string) (why, fix string) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err.Error(), ""
	case info.Mode().Perm()&0o022 != 0:
		return "others may write the folder " + dir, "chmod go-w " + dir
	case !trusted(info):
		return fmt.Sprintf("the folder %s is owned by another user (%d)", dir, owner(info)), ""
	}
	// Above it, it is enough that nobody can put another folder in its place.
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			return err.Error(), ""
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return "everybody may write the folder " + above, "chmod o-w " + above
		}
		if above == filepath.Dir(above) {
			return "", ""
		}
	}
}

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// trusted is what this user or the administrator owns.
func trusted(info fs.FileInfo) bool {
	uid := owner(info)
	return uid == os.Geteuid() || uid == 0
}

// inode is what tells a file from another that took its name.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// private reports whether a file is this user's own and open to nobody else.
func private(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Mode().Perm()&0o077 == 0 && owner(info) == os.Geteuid()
}
