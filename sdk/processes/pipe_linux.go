package processes

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// outputPipe makes a pipe whose writing end is for a process: we never wait for
// that one, so the runtime's poller needn't know of it.
func outputPipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	w = os.NewFile(uintptr(ends[1]), "|1")
	if err := unix.SetNonblock(ends[0], true); err != nil {
		_ = unix.Close(ends[0])
		return nil, nil, errors.Join(os.NewSyscallError("fcntl", err), w.Close())
	}
	return os.NewFile(uintptr(ends[0]), "|0"), w, nil
}

// widen makes a pipe hold as much as one read takes: its writer and its reader
// then wait less often for each other. A system that refuses keeps it as it is.
func widen(from source, size int) {
	pipe, ok := from.(*os.File)
	if !ok || size <= 64<<10 {
		return // no pipe, or it holds as much
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) })
}
