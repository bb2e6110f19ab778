package leakcheck

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Shield makes the kernel refuse this program, and all that it starts from now
// on, to signal a process, as it refuses with a process of another user: by a
// filter on system calls, for which nobody needs to be root. There is no way
// back.
func Shield(pid int) error {
	return refuse(append(
		jump(unix.SYS_KILL, 0, uint32(pid)),
		jump(unix.SYS_PIDFD_OPEN, 0, uint32(pid))...,
	))
}

// ShieldAll does the same for every process, and one signal.
func ShieldAll(sig unix.Signal) error {
	return refuse(append(
		jump(unix.SYS_KILL, 1, uint32(sig)),
		jump(unix.SYS_PIDFD_SEND_SIGNAL, 1, uint32(sig))...,
	))
}

// jump refuses a system call whose argument of that number has that value.
func jump(call, argument, value uint32) []unix.SockFilter {
	const load, equal, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	return []unix.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: equal, K: call, Jf: 3},
		{Code: load, K: 16 + 8*argument}, // its lower half, on little-endian machines
		{Code: equal, K: value, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
	}
}

func refuse(filter []unix.SockFilter) error {
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // this thread's privileges are given to the others by TSYNC
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("install a filter on system calls: %w", errno)
	}
	return nil
}
