package checkup

import "golang.org/x/sys/unix"

// disk is the free space of a folder's disk in bytes, and what network file system
// it is; none: it is local.
func disk(dir string) (free uint64, remote string, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, "", err
	}
	if s.Flags&unix.MNT_LOCAL == 0 {
		remote = unix.ByteSliceToString(s.Fstypename[:])
	}
	return s.Bavail * uint64(s.Bsize), remote, nil
}
