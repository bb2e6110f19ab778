package processes

import (
	"context"
	"errors"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Classify gives an error of proctree its class; what says what failed, e.g.
// "kill process main".
func Classify(what string, err error) error {
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
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ENOSPC),
		errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		class = sandbox.Exhausted
	}
	return sandbox.Errorf(class, "%s: %w", what, err)
}
