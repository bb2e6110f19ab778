package filetail

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watch tells when a file may have changed. Without inotify (the number of
// instances is limited) it looks every few milliseconds.
type watch struct {
	inotify *os.File
	changed chan struct{}
	every   time.Duration
}

func newWatch(file *os.File) *watch {
	w := &watch{changed: make(chan struct{}, 1), every: 4 * time.Millisecond}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return w
	}
	// Through the open file, not its name, which may mean another by now.
	path := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_DELETE_SELF); err != nil {
		_ = unix.Close(fd)
		return w
	}
	w.inotify = os.NewFile(uintptr(fd), "inotify")
	w.every = 250 * time.Millisecond // for file systems that change behind the kernel's back
	go w.listen()
	return w
}

func (w *watch) listen() {
	buf := make([]byte, 4096)
	for {
		if _, err := w.inotify.Read(buf); err != nil {
			return
		}
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}

// wait returns when the file may have changed or ended is closed, or with
// ctx's error.
func (w *watch) wait(ctx context.Context, ended <-chan struct{}) error {
	t := time.NewTimer(w.every)
	defer t.Stop()
	select {
	case <-w.changed:
	case <-ended:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (w *watch) close() {
	if w.inotify != nil {
		_ = w.inotify.Close()
	}
}
