package watch

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

//go:embed prelude.sh
var prelude string

//go:embed baseline.sh
var baselineScript string

//go:embed diff.sh
var diffScript string

// Limits bound what is spent on a diff. Zero fields have the defaults.
type Limits struct {
	Time  time.Duration // for the baseline, and for the diff; default 60 s
	File  int64         // bytes of a file that is looked at; rounded up to KiB, default 128 MiB
	Patch int64         // bytes of the whole patch; default 512 MiB
}

// Workspace is the workspace of one run, in its sandbox.
type Workspace struct {
	Sandbox sandbox.Sandbox
	Run     string // id of the run: a name for folders and processes
	Limits  Limits
}

func (w Workspace) limits() Limits {
	l := w.Limits
	if l.Time <= 0 {
		l.Time = time.Minute
	}
	if l.File <= 0 {
		l.File = 128 << 20
	}
	if l.Patch <= 0 {
		l.Patch = 512 << 20
	}
	return l
}

// name is new for every call, so that nothing can lie in wait under it.
func (w Workspace) name() string { return w.Run + "-" + strings.ToLower(rand.Text()[:12]) }

// command runs one of the scripts, with the workspace, the state folder and args.
func (w Workspace) command(script, id string, args ...string) sandbox.Command {
	info := w.Sandbox.Info()
	return sandbox.Command{
		ID: id, Dir: info.StateDir, Timeout: w.limits().Time,
		Argv: append([]string{"/bin/sh", "-c", prelude + script, "sandlot", info.Root, info.StateDir}, args...),
	}
}

// instead starts a command. One of the same id that still runs is what a plugin
// has left that died under an earlier attempt: it is ended first.
func (w Workspace) instead(ctx context.Context, id string, start func() error) error {
	err := start()
	if !errors.Is(err, sandbox.Conflict) {
		return err
	}
	if kerr := w.Sandbox.Kill(ctx, id, 0); kerr != nil {
		return errors.Join(err, kerr)
	}
	return start()
}

// exec runs a command to its end.
func (w Workspace) exec(ctx context.Context, cmd sandbox.Command) (out sandbox.Output, err error) {
	err = w.instead(ctx, cmd.ID, func() (err error) {
		out, err = sandbox.Exec(ctx, w.Sandbox, cmd)
		return err
	})
	return out, err
}

func (w Workspace) fileLimit() string { return strconv.FormatInt((w.limits().File+1023)>>10, 10) }

// Exit codes of the scripts.
const (
	exitNoGit   = 91
	exitDamaged = 93
	exitUsage   = 129 // git's own, for options that it doesn't know
)

// failed is the error of a script that didn't end with 0; nil if it did.
func (w Workspace) failed(doing string, exit sandbox.Exit, stderr []byte) error {
	words := strings.TrimSpace(strings.ToValidUTF8(string(bytes.TrimSpace(stderr)), "\uFFFD"))
	switch {
	case exit.Ok():
		return nil
	case exit.Reason == sandbox.ReasonTimedOut:
		return sandbox.Errorf(sandbox.TimedOut, "%s: it took longer than %s", doing, w.limits().Time)
	case exit.Reason == sandbox.ReasonOutputLimit:
		return sandbox.Errorf(sandbox.Exhausted, "%s: it is larger than %d MiB", doing, w.limits().Patch>>20)
	case exit.Reason != sandbox.ReasonExited:
		return sandbox.Errorf(sandbox.Internal, "%s: ended by signal %d: %s", doing, exit.Signal, words)
	case exit.Code == exitNoGit:
		return &sandbox.Error{
			Class: sandbox.Unsupported, Capability: "diff",
			Message: doing + ": the sandbox has no git on its PATH", Hint: "install git 2.26 or newer there",
		}
	case exit.Code == exitUsage:
		return &sandbox.Error{
			Class: sandbox.Unsupported, Capability: "diff",
			Message: doing + ": the sandbox's git is too old: " + firstLine(words), Hint: "install git 2.26 or newer there",
		}
	case exit.Code == exitDamaged:
		if words == "" {
			return ErrDamaged
		}
		return fmt.Errorf("%w: %s", ErrDamaged, words)
	}
	return sandbox.Errorf(sandbox.Internal, "%s: exit code %d: %s", doing, exit.Code, words)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// forget is a script. $1 is the folder of all diffs, $2 the run: the names of
// its own folders have that many characters more.
const forget = `PATH=$PATH:/usr/bin:/bin
rm -rf "$1/$2"-???????????? && { rmdir "$1" 2>/dev/null || :; }`

// Forget removes what was kept in the sandbox for the run's diff, and leaves
// alone what is another's.
func (w Workspace) Forget(ctx context.Context) error {
	const doing = "remove the baseline"
	state := w.Sandbox.Info().StateDir
	if files, err := sandbox.As[sandbox.Filer](w.Sandbox); err == nil {
		if _, err := files.Files().Stat(ctx, path.Join(state, "diffs")); errors.Is(err, sandbox.NotFound) {
			return nil
		}
	}
	out, err := w.exec(ctx, sandbox.Command{
		ID: "forget-" + w.Run, Dir: state, Timeout: w.limits().Time,
		Argv: []string{"/bin/sh", "-c", forget, "sandlot", path.Join(state, "diffs"), w.Run},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return w.failed(doing, out.Exit, out.Stderr)
}
