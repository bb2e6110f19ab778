package runs

import "golang.org/x/sys/unix"

// waitid waits until a child has ended, and leaves its corpse.
func waitid(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
