package sandbox

import (
	"context"
	"time"
)

// Sandbox is one isolated machine or process tree.
type Sandbox interface {
	// ID finds the sandbox again: opaque, 1 to 256 printable bytes.
	ID() string

	// Info is the truth about this sandbox; it doesn't change while it runs.
	Info() Info

	// Start runs one command. It returns once the process exists, or once it
	// is known that the program can't be executed (PID -1, exit 126 or 127).
	// A failure before that is an error with a class: NotFound for a missing
	// Dir, Invalid for a bad command.
	//
	// When ctx ends, a process that isn't Detached is killed with its tree.
	Start(ctx context.Context, cmd Command) (Process, error)

	// Kill ends the process that was started under the id proc and all that
	// descends from it, setsid children and those that ignore TERM too: TERM,
	// then KILL after grace. It returns when none is left, works before the
	// process has fully started and from a plugin process other than the one
	// that started it, and leaves no file. Killing what isn't there is no
	// error.
	Kill(ctx context.Context, proc string, grace time.Duration) error

	// Alive tells of the process itself, not of what it left behind.
	Alive(ctx context.Context, proc string) (Liveness, error)
}

// Isolation says what stands between a sandbox and the host.
type Isolation string

// The kinds of isolation.
const (
	IsolationNone      Isolation = "none"      // processes of this machine, with its files
	IsolationContainer Isolation = "container" // files of its own, this machine's kernel
	IsolationVM        Isolation = "vm"        // a kernel of its own: a virtual machine, or another host
)

// KillScope says by what means Kill finds a tree.
type KillScope string

// The kill scopes. A process that clears its environment and forks twice is
// found by KillCgroup only.
const (
	KillCgroup KillScope = "cgroup"
	KillMark   KillScope = "mark"
)

// Info describes one sandbox. All paths are real and absolute.
type Info struct {
	Root         string // folder of the workspace
	Home         string // HOME of the processes
	StateDir     string // private folder for journals and prompt files, 0700
	OS           string // as GOOS
	Arch         string // as GOARCH
	User         string // name of the user that processes run as
	Isolation    Isolation
	HostAddress  string // name under which the sandbox reaches the host; empty if it can't
	KillScope    KillScope
	Capabilities Capabilities // of this sandbox
}

// Liveness is the answer to "does it still run?".
type Liveness string

// The answers of Alive.
const (
	AliveYes     Liveness = "yes"
	AliveNo      Liveness = "no"
	AliveUnknown Liveness = "unknown"
)
