package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// classify gives an error of the operating system its class.
func classify(what string, err error) error {
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

// processError gives an error of proctree its class.
func processError(what string, err error) error {
	class := sandbox.Unavailable
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		class = sandbox.ClassOf(err)
	case errors.Is(err, proctree.ErrInvalid), errors.Is(err, syscall.E2BIG):
		class = sandbox.Invalid
	case errors.Is(err, proctree.ErrNoDir):
		class = sandbox.NotFound
	case errors.Is(err, proctree.ErrInUse):
		class = sandbox.Conflict
	case errors.Is(err, proctree.ErrUnsupported):
		class = sandbox.Unsupported
	case errors.Is(err, syscall.EPERM):
		class = sandbox.Denied
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ENOSPC):
		class = sandbox.Exhausted
	}
	return sandbox.Errorf(class, "%s: %w", what, err)
}
