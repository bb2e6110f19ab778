//go:build unix

package format

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file another's owner and group. Only root may give a file away,
// so that what is shared by a group stays as it is, instead of becoming ours.
func keepOwner(f *os.File, like fs.FileInfo) error {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("its owner and group can't be kept: %w; have its owner format it, or format its text: sandlot fmt -", err)
	}
	return nil
}
