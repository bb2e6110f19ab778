package checkup

import "golang.org/x/sys/unix"

// disk is the free space of a folder's disk in bytes, and what network file system
// it is; none: it is local.
func disk(dir string) (free uint64, remote string, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, "", err
	}
	kinds := map[int64]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.V9FS_MAGIC: "9P",
	}
	return s.Bavail * uint64(s.Bsize), kinds[int64(s.Type)], nil //nolint:unconvert // Type has another size on other processors
}
