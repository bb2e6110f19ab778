package unseen

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// nameless is the folder for which a file without a name was made.
type nameless struct{ *os.File }

// open makes a file without a name. It fails where the file system has none, or
// the system shows no descriptors, by which alone such a file gets a name.
func open(root *os.Root, folder string) (*os.File, *nameless, error) {
	dir, err := root.Open(folder)
	if err != nil {
		return nil, nil, err
	}
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err == nil {
		file := os.NewFile(uintptr(fd), "a file without a name in "+folder)
		if _, err = os.Stat(shown(file)); err == nil {
			return file, &nameless{dir}, nil
		}
		_ = file.Close() // nothing was written
	}
	_ = dir.Close() // it was only read
	return nil, nil, err
}

// shown is the path by which the system shows a descriptor.
func shown(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// link gives the file a name in the folder.
func (n *nameless) link(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, shown(f), int(n.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.PathError{Op: "link", Path: name, Err: err}
	}
	return nil
}

func (n *nameless) stamp(f *os.File, modified time.Time) error {
	return os.Chtimes(shown(f), modified, modified)
}
