package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Start runs a command. See sdk/processes for what happens then.
func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	spec, err := b.spec(cmd)
	if err != nil {
		return nil, err
	}
	if err := (folders{above: b.above}).look(b.info.StateDir); sandbox.ClassOf(err) == sandbox.Denied {
		return nil, err // what is absent is said below
	}
	p, err := processes.Place{Forest: b.forest, StateDir: b.info.StateDir, Log: b.log.With("sandbox", b.id)}.Start(ctx, cmd, spec)
	if err != nil {
		if errors.Is(err, syscall.E2BIG) {
			return nil, tooBig(spec, syscall.E2BIG)
		}
		return nil, b.startError(cmd, err)
	}
	return p, nil
}

// startError tells a sandbox that was removed from a folder that is missing.
func (b *box) startError(cmd sandbox.Command, err error) error {
	_, statErr := os.Lstat(b.info.StateDir)
	if errors.Is(statErr, fs.ErrNotExist) || errors.Is(err, proctree.ErrClosed) {
		return sandbox.Errorf(sandbox.Gone, "start process %s: the sandbox was removed: %w", cmd.ID, err)
	}
	return processes.Classify("start process "+cmd.ID, err)
}

var commandID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

func (b *box) spec(cmd sandbox.Command) (proctree.Spec, error) {
	invalid := func(format string, args ...any) (proctree.Spec, error) {
		return proctree.Spec{}, sandbox.Errorf(sandbox.Invalid, "start process %s: "+format, append([]any{cmd.ID}, args...)...)
	}
	spec := proctree.Spec{ID: cmd.ID, Argv: cmd.Argv, Dir: b.info.Root, User: cmd.User, TTY: cmd.TTY != nil}
	switch {
	case !commandID.MatchString(cmd.ID):
		return invalid("its id is %q, wanted are 1 to 128 of A-Z a-z 0-9 . _ -", cmd.ID)
	case cmd.Timeout < 0, cmd.MaxOutput < 0:
		return invalid("negative timeout or output limit")
	case cmd.TTY != nil && !processes.Terminals:
		return spec, &sandbox.Error{
			Class: sandbox.Unsupported, Provider: "localprocess", Capability: "pty",
			Message: "start process " + cmd.ID + ": there are no terminals on " + runtime.GOOS, Hint: "run the command without one",
		}
	case cmd.TTY != nil && cmd.Detached:
		return invalid("a detached process has nobody at its terminal")
	case (len(cmd.Argv) > 0) == (cmd.Script != ""):
		return invalid("exactly one of argv and script must be given")
	case cmd.Script != "":
		spec.Argv = []string{"/bin/sh", "-c", cmd.Script}
	}
	switch {
	case filepath.IsAbs(cmd.Dir):
		spec.Dir = cmd.Dir
	case cmd.Dir != "":
		spec.Dir = filepath.Join(b.info.Root, cmd.Dir)
	}
	for name := range cmd.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return invalid("%q is no name of a variable", name)
		}
	}
	spec.Env = b.env.with(map[string]string{"PWD": spec.Dir}, cmd.Env).entries()
	return spec, b.checkDir(cmd.ID, spec.Dir)
}

func (b *box) checkDir(id, dir string) error {
	st, err := os.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return nil
	case err == nil:
		return sandbox.Errorf(sandbox.Invalid, "start process %s: %s is not a folder", id, dir)
	case dir == b.info.Root:
		return b.startError(sandbox.Command{ID: id}, fmt.Errorf("%w: %w", proctree.ErrNoDir, err))
	}
	return localfiles.Classify("start process "+id+": find its folder", err)
}
