package gitsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	// silence is how long a git that talks to another machine may say nothing before
	// it is given up. It tells its progress all the time; how long it takes altogether
	// isn't bounded.
	silence = 5 * time.Minute
	// afterKill is how long git's output is awaited once it was killed.
	afterKill = 2 * time.Second
)

// call is one command of git.
type call struct {
	dir    string // git folder that it works on; empty: none
	args   []string
	access access
	home   string // see environ
	stdin  io.Reader
	stdout io.Writer

	settings []string            // more of git's, each KEY=VALUE
	tell     func(detail string) // takes progress; nil: not wanted
}

// commandError is what git said when it gave up.
type commandError struct {
	args []string
	code int
	said string // its last lines, printable
}

func (e *commandError) Error() string {
	said := e.said
	if said == "" {
		said = fmt.Sprintf("it said nothing and ended with %d", e.code)
	}
	return "git " + e.args[0] + ": " + said
}

// run runs git to its end. When ctx ends, git and all that it has started are
// killed.
func (g *git) run(ctx context.Context, c call) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var args []string
	if c.dir != "" {
		args = append(args, "--git-dir="+c.dir)
	}
	cmd := exec.CommandContext(ctx, g.path, append(args, c.args...)...)
	cmd.Env = g.environ(c.home, c.access, c.settings)
	cmd.Dir = c.dir
	cmd.Stdin, cmd.Stdout = c.stdin, c.stdout
	heard := &listener{tell: c.tell, moved: func() {}}
	if c.access.remote() {
		quiet := time.AfterFunc(silence, func() {
			cancel(sandbox.Errorf(sandbox.TimedOut, "git %s said nothing for %s, and was ended", c.args[0], silence))
		})
		defer quiet.Stop()
		heard.moved = func() { quiet.Reset(silence) }
	}
	cmd.Stderr = heard
	cmd.WaitDelay = afterKill
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { killTree(cmd.Process); return nil }
	if c.access.remote() {
		release, err := tied(cmd)
		if err != nil {
			return sandbox.Errorf(sandbox.Unavailable, "run %s: %w", g.path, err)
		}
		defer release()
	}
	// Where the system ends git with us, it does so when the thread ends that
	// started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return sandbox.Errorf(sandbox.Unavailable, "run %s: %w", g.path, err)
	}
	return &commandError{args: c.args, code: exit.ExitCode(), said: heard.said()}
}

// output runs git and returns what it printed, a bounded amount.
func (g *git) output(ctx context.Context, c call) (string, error) {
	const most = 64 << 20
	var out strings.Builder
	bound := &limited{w: &out, left: most}
	c.stdout = bound
	if err := g.run(ctx, c); err != nil {
		if bound.full {
			return "", errFull
		}
		return "", err
	}
	return out.String(), nil
}

var errFull = sandbox.Errorf(sandbox.Exhausted, "the repository has more names than can be kept")

// limited is a writer that refuses what is more than it may take.
type limited struct {
	w    io.Writer
	left int
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		l.full = true
		return 0, errFull
	}
	l.left -= len(p)
	return l.w.Write(p)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
