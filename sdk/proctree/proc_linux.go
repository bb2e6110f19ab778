package proctree

import (
	"bytes"
	"errors"
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
	m := Member{PID: p.PID, State: p.state, Command: p.comm}
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
	pid, err := strconv.Atoi(string(line[:open-1]))
	f := strings.Fields(string(line[end+1:]))
	if err != nil || len(f) < 20 {
		return proc{}, false
	}
	p := proc{comm: string(line[open+1 : end]), state: f[0][0]}
	var errs [5]error
	var flags uint64
	p.PID = pid
	p.ppid, errs[0] = strconv.Atoi(f[1])
	p.pgrp, errs[1] = strconv.Atoi(f[2])
	p.sid, errs[2] = strconv.Atoi(f[3])
	flags, errs[3] = strconv.ParseUint(f[6], 10, 64)
	p.Start, errs[4] = strconv.ParseUint(f[19], 10, 64)
	p.kernel = flags&0x00200000 != 0 // PF_KTHREAD
	return p, errors.Join(errs[:]...) == nil
}

// probe reads one process; false if there is none of that number.
func probe(pid int) (proc, bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	return parseStat(line)
}

func startTime(pid int) (uint64, error) {
	p, ok := probe(pid)
	if !ok {
		return 0, fmt.Errorf("read start time of process %d: no such process", pid)
	}
	return p.Start, nil
}

func parentOf(pid int) int {
	p, _ := probe(pid)
	return p.ppid
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
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
