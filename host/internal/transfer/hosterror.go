package transfer

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// hostError gives an error of this machine's file system its class. What the system
// calls the file is left out: it is a piece of a path, of a folder that is open.
func hostError(doing string, err error) error {
	if sandbox.ClassOf(err) != sandbox.Internal {
		return err // one that was given already
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	class := sandbox.Unavailable
	switch {
	case errors.Is(err, fs.ErrNotExist):
		class = sandbox.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		class = sandbox.Denied
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		class = sandbox.Exhausted
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		class = sandbox.Invalid
	case errors.Is(err, fs.ErrExist):
		class = sandbox.Conflict
	}
	return sandbox.Errorf(class, "%s: %w", doing, err)
}
