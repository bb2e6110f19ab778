package proctree

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// proc is one row of the process table. macOS doesn't show environments to
// others: a tree is the leader's session and group, all descendants, and theirs.
type proc struct {
	ident
	ppid, pgrp, sid int
	state           byte
	uid             int // effective
	comm            string
	marked          bool
}

const stateZombie = 5 // SZOMB

func (p proc) living() bool { return p.state != 'Z' }

func (p proc) member() Member { return Member{PID: p.PID, State: p.state, Command: p.comm, UID: p.uid} }

func rowOf(k *unix.KinfoProc) proc {
	p := proc{ppid: int(k.Eproc.Ppid), pgrp: int(k.Eproc.Pgid), state: 'R', uid: int(k.Eproc.Ucred.Uid)}
	p.PID = int(k.Proc.P_pid)
	p.Start = uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)
	// The table has a pointer in the place of the session; 0 where it isn't told.
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.sid = sid
	}
	if k.Proc.P_stat == stateZombie {
		p.state = 'Z'
	}
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	p.comm = string(name)
	return p
}

func probe(pid int) (proc, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return proc{}, false
	}
	return rowOf(k), true
}

func startTime(pid int) (uint64, error) {
	p, ok := probe(pid)
	if !ok {
		return 0, fmt.Errorf("read start time of process %d: no such process", pid)
	}
	return p.Start, nil
}

func bootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return "unknown"
	}
	return fmt.Sprint(tv.Sec)
}

func send(id ident, sig unix.Signal) error {
	if p, ok := probe(id.PID); !ok || p.ident != id {
		return nil
	}
	if err := unix.Kill(id.PID, sig); err != nil && err != unix.ESRCH {
		return fmt.Errorf("send signal %d to process %d: %w", sig, id.PID, err)
	}
	return nil
}

// awaitExit returns when our child pid is a zombie, and leaves it one.
func awaitExit(pid int) {
	kq, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(kq)
	want := make([]unix.Kevent_t, 1)
	unix.SetKevent(&want[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	want[0].Fflags = unix.NOTE_EXIT
	for {
		if _, err := unix.Kevent(kq, want, make([]unix.Kevent_t, 1), nil); err != unix.EINTR {
			return
		}
	}
}

type table struct{}

func newTable(marks) *table { return &table{} }

func (*table) keep(int) {}

func (*table) read() ([]proc, error) {
	rows, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	procs := make([]proc, 0, len(rows))
	for i := range rows {
		procs = append(procs, rowOf(&rows[i]))
	}
	return procs, nil
}
