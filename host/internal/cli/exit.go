package cli

import (
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// The exit codes.
const (
	exitOK       = 0
	exitError    = 1
	exitUsage    = 2
	exitFailed   = 3
	exitCanceled = 4
	exitDenied   = 5
)

// exitErr is an error with an exit code. With quiet set, all was said already.
type exitErr struct {
	code  int
	err   error
	quiet bool
}

func (e *exitErr) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitErr) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitErr{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// said is an exit code for something that was rendered already.
func said(code int) error { return &exitErr{code: code, quiet: true} }

func codeOf(err error) int {
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*exitErr](err); ok {
		return e.code
	}
	return exitError
}

// codeOfRun tells an end that is the agent's doing from one that is ours.
func codeOfRun(r store.Run) int {
	switch r.Status {
	case store.Completed:
		return exitOK
	case store.Canceled:
		return exitCanceled
	}
	switch harness.Reason(r.Reason) {
	case harness.ReasonDenied:
		return exitDenied
	case harness.ReasonBootstrapFailed, harness.ReasonPluginCrashed, harness.ReasonSandboxGone,
		harness.ReasonReplayDiverged, harness.ReasonHarnessSilent:
		return exitError
	}
	return exitFailed
}
