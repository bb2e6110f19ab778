package sandbox

import (
	"context"
	"io"
	"time"
)

// Command is one process to start.
type Command struct {
	ID        string            // chosen by the caller, unique in the sandbox, 1 to 128 bytes of [A-Za-z0-9._-]
	Argv      []string          // program and arguments; or
	Script    string            // text for `sh -c`; exactly one of both is set
	Dir       string            // working directory; must exist; relative ones are under Root; empty: Root
	Env       map[string]string // added to the provider's base environment
	User      string            // empty: the sandbox's user
	TTY       *Size             // a terminal of this size; output then arrives as stdout only
	Timeout   time.Duration     // from the start of the process; 0: none; then the tree is killed
	MaxOutput int64             // bytes of stdout and stderr together; 0: no limit; then the tree is killed
	Detached  bool              // outlives stream, plugin and host; only Kill ends it

	// Stdin is copied to the process, then its stdin is closed. Nil: the
	// process reads end of file at once. The caller owns Stdin: a Read that
	// blocks after the process has ended is abandoned, not waited for.
	Stdin io.Reader

	// Stdout and Stderr receive the output; nil discards it. A Write that
	// blocks blocks the process, never memory. A Write that fails discards
	// the rest. Each is called from one goroutine at a time, but the two may
	// be called concurrently.
	Stdout, Stderr io.Writer
}

// Size of a terminal in characters.
type Size struct{ Rows, Cols uint16 }

// Process is a command that was started.
type Process interface {
	// PID is the process id in the sandbox, -1 if the program could not be
	// executed.
	PID() int

	// Signal sends signal number n to the process itself.
	Signal(ctx context.Context, n int) error

	// Resize changes the size of the terminal; Unsupported without TTY.
	Resize(ctx context.Context, size Size) error

	// Wait returns when the process has ended and its output was written out.
	// The answer is latched: later calls answer at once. If the connection to
	// the process is lost, the exit is unknown: Wait returns an Exit with
	// ReasonUnknown and an error of class Unavailable. If ctx ends first, its
	// error is returned and the process goes on.
	Wait(ctx context.Context) (Exit, error)

	// Close lets go of the process: what isn't Detached is killed with its
	// tree. It may be called more than once.
	Close() error
}

// ExitReason says how a process ended.
type ExitReason string

// The reasons of an Exit.
const (
	ReasonExited      ExitReason = "exited"       // by itself, Code is valid
	ReasonSignaled    ExitReason = "signaled"     // by Signal
	ReasonTimedOut    ExitReason = "timed_out"    // by Command.Timeout
	ReasonOutputLimit ExitReason = "output_limit" // by Command.MaxOutput
	ReasonUnknown     ExitReason = "unknown"      // nobody can tell
)

// Exit is how a process ended.
type Exit struct {
	Code    int        // exit code; 126: not executable, 127: not found; -1 where none is known
	Signal  int        // number of the signal that ended it; 0: none
	OOM     bool       // it was killed for want of memory
	Reason  ExitReason // never empty
	Left    string     // what it left running and was ended with it, pids and commands; empty for a detached one
	Message string     // the backend's own words, e.g. why it couldn't be executed; may be empty
}

// Ok reports whether the process ended by itself with code 0.
func (e Exit) Ok() bool { return e.Reason == ReasonExited && e.Code == 0 }
