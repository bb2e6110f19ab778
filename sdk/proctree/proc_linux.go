package proctree

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// proc is one row of the process table.
type proc struct {
	ident
	ppid, pgrp, sid int
	state           byte
	comm            string
	kernel          bool // a thread of the kernel
	marked          bool
}

// living is false for zombies.
func (p proc) living() bool { return p.state != 'Z' && p.state != 'X' && p.state != 'x' }

func (p proc) member() Member {
	m := Member{PID: p.PID, State: p.state, Command: p.comm, UID: -1}
	var st unix.Stat_t
	if unix.Stat(fmt.Sprintf("/proc/%d", p.PID), &st) == nil {
		m.UID = int(st.Uid)
	}
	if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID)); err == nil {
		line = bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})
		if len(line) > 0 {
			m.Command = string(line[:min(len(line), 200)])
		}
	}
	return m
}

// parseStat reads a line of /proc/<pid>/stat. The name may hold spaces and
// parentheses, so the fields are counted from the last one.
func parseStat(line []byte) (proc, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 2 || end < open {
		return proc{}, false
	}
	var f [20][]byte // f[0] is field 3 of proc(5), the state
	rest := line[end+1:]
	for i := range f {
		if rest = bytes.TrimLeft(rest, " "); len(rest) == 0 {
			return proc{}, false
		}
		n := bytes.IndexAny(rest, " \n")
		if n < 0 {
			n = len(rest)
		}
		f[i], rest = rest[:n], rest[n:]
	}
	p := proc{comm: string(line[open+1 : end]), state: f[0][0]}
	ok := number(line[:open-1], &p.PID) && number(f[1], &p.ppid) && number(f[2], &p.pgrp) &&
		number(f[3], &p.sid) && number(f[19], &p.Start)
	var flags uint64
	ok = number(f[6], &flags) && ok
	p.kernel = flags&0x00200000 != 0 // PF_KTHREAD
	return p, ok
}

// number reads a decimal; a sign, as a group that left the namespace has, is
// no number of ours: it reads as 0.
func number[N int | uint64](text []byte, to *N) bool {
	if len(text) > 1 && text[0] == '-' {
		return true
	}
	n := N(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
		n = n*10 + N(c-'0')
	}
	*to = n
	return len(text) > 0
}

// probe reads one process; false if there is none of that number.
func probe(pid int) (proc, bool) {
	var buf [1024]byte // a stat line is shorter; an os.File would cost more than the read
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return proc{}, false
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return proc{}, false
		}
		return parseStat(buf[:n])
	}
}

func startTime(pid int) (uint64, error) {
	p, ok := probe(pid)
	if !ok {
		return 0, fmt.Errorf("read start time of process %d: no such process", pid)
	}
	return p.Start, nil
}

// bootID distinguishes the pids of one boot from those of another.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(id))
}

// send signals exactly the process id: through a pidfd, checked after it was
// opened, so the number can't change hands in between.
func send(id ident, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if p, ok := probe(id.PID); !ok || p.ident != id {
		return nil
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	} else if err != unix.ESRCH {
		err = unix.Kill(id.PID, sig) // a kernel or seccomp profile without pidfds
	}
	if err != nil && err != unix.ESRCH {
		return fmt.Errorf("send signal %d to process %d: %w", sig, id.PID, err)
	}
	return nil
}

// awaitExit returns when our child pid is a zombie, and leaves it one.
func awaitExit(pid int) {
	if pollExit(pid) {
		return
	}
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// pidSpace names the namespace in which pids of this process mean something.
func pidSpace() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "unknown"
	}
	return name
}

// pollExit waits with the runtime's poller, which takes no thread for each
// process; false where there are no pidfds.
func pollExit(pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	ended := false
	err = raw.Read(func(fd uintptr) bool {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		ended = n > 0 && err == nil
		return ended
	})
	return err == nil && ended
}
