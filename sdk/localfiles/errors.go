package localfiles

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Classify gives an error of the operating system its class, unless it has one;
// what says what was being done, e.g. "open folder".
func Classify(what string, err error) error {
	if err == nil {
		return nil
	}
	class := sandbox.ClassOf(err)
	if class == sandbox.Internal {
		class = classOf(err)
	}
	return sandbox.Errorf(class, "%s: %w", what, err)
}

func classOf(err error) sandbox.Class {
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	switch {
	case is(fs.ErrNotExist, syscall.ENOTDIR):
		return sandbox.NotFound
	case escapes(err), is(fs.ErrPermission, syscall.EROFS):
		return sandbox.Denied
	case is(syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EFBIG):
		return sandbox.Exhausted
	case is(fs.ErrExist, syscall.ENOTEMPTY, syscall.ETXTBSY):
		return sandbox.Conflict
	case is(syscall.EISDIR, syscall.EINVAL, syscall.ELOOP, syscall.ENAMETOOLONG, fs.ErrInvalid):
		return sandbox.Invalid
	case is(syscall.EIO, syscall.EBUSY, syscall.EAGAIN, os.ErrDeadlineExceeded):
		return sandbox.Unavailable
	}
	return sandbox.Internal
}

// escapes is true for what os.Root refuses; its error has no name.
func escapes(err error) bool {
	var inPath *fs.PathError
	var inLink *os.LinkError
	switch {
	case errors.As(err, &inPath):
		err = inPath.Err
	case errors.As(err, &inLink):
		err = inLink.Err
	}
	return err != nil && strings.HasSuffix(err.Error(), "escapes from parent")
}
