package processes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Runner is a sandbox's Start, Kill and Alive.
type Runner struct {
	Place

	Root string   // absolute folder that commands run in and that their relative folders are under
	Home string   // absolute; HOME of the commands
	Env  []string // environment of every command, NAME=value; HOME, later entries and the command's own win
}

// Open makes the Runner of a sandbox whose three folders exist. Their paths must
// be absolute and have no links in them.
func Open(root, home, stateDir string, env []string) (*Runner, error) {
	forest, err := proctree.Open(stateDir, proctree.Options{})
	if err != nil {
		return nil, Classify("open sandbox", err)
	}
	return &Runner{Place: Place{Forest: forest, StateDir: stateDir}, Root: root, Home: home, Env: env}, nil
}

// Capabilities is what a provider can do whose commands are a Runner's, on this
// operating system. Files isn't in it: that is told by the sandbox's type.
func Capabilities() sandbox.Capabilities {
	return sandbox.Capabilities{
		WritableStdin: true, KillableProcesses: runtime.GOOS != "windows", DurableFilesystem: true, PTY: Terminals,
		NetworkPolicy: sandbox.NetworkNone,
	}
}

// Describe is the Info of a sandbox that isn't isolated from this machine.
func (r *Runner) Describe() sandbox.Info {
	info := sandbox.Info{
		Root: r.Root, Home: r.Home, StateDir: r.StateDir, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Isolation: sandbox.IsolationNone, HostAddress: "127.0.0.1", KillScope: sandbox.KillScope(r.Forest.Scope()), Capabilities: Capabilities(),
	}
	if u, err := user.Current(); err == nil {
		info.User = u.Username
	}
	return info
}

// Start runs one command on this machine.
func (r *Runner) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	spec, err := r.spec(cmd)
	if err != nil {
		return nil, err
	}
	if st, err := os.Lstat(r.StateDir); err != nil || !st.IsDir() || r.Forest.Closed() {
		return nil, sandbox.Errorf(sandbox.Gone, "start process %s: the sandbox was removed: its folder %s isn't there any more", cmd.ID, r.StateDir)
	}
	p, err := r.Place.Start(ctx, cmd, spec)
	if err != nil {
		return nil, Classify("start process "+cmd.ID, err)
	}
	return p, nil
}

func (r *Runner) spec(cmd sandbox.Command) (proctree.Spec, error) {
	spec := proctree.Spec{ID: cmd.ID, Argv: cmd.Argv, Dir: cmd.Dir, User: cmd.User, TTY: cmd.TTY != nil}
	if err := cmd.Check(); err != nil {
		return spec, err
	}
	switch {
	case cmd.TTY != nil && !Terminals:
		return spec, noTerminal("start process "+cmd.ID+": there are no terminals on "+runtime.GOOS, "run the command without one")
	case cmd.TTY != nil && cmd.Detached:
		return spec, sandbox.Errorf(sandbox.Invalid, "start process %s: a detached process has nobody at its terminal", cmd.ID)
	}
	if cmd.Script != "" {
		spec.Argv = []string{"/bin/sh", "-c", cmd.Script}
	}
	if !filepath.IsAbs(spec.Dir) {
		spec.Dir = filepath.Join(r.Root, spec.Dir)
	}
	switch st, err := os.Stat(spec.Dir); {
	case err != nil:
		return spec, Classify("start process "+cmd.ID, fmt.Errorf("%w: %w", proctree.ErrNoDir, err))
	case !st.IsDir():
		return spec, sandbox.Errorf(sandbox.Invalid, "start process %s: %s is not a folder", cmd.ID, spec.Dir)
	}
	spec.Env = r.environment(spec.Dir, cmd.Env)
	return spec, nil
}

// environment leaves one entry of each name.
func (r *Runner) environment(dir string, own map[string]string) []string {
	env := map[string]string{}
	for _, entry := range r.Env {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			env[name] = value
		}
	}
	env["PWD"], env["HOME"] = dir, r.Home
	maps.Copy(env, own)
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// Kill ends a tree that any process of the provider started.
func (r *Runner) Kill(ctx context.Context, proc string, grace time.Duration) error {
	if err := r.Forest.Kill(ctx, proc, grace); err != nil {
		return KillError(r.log(), "kill process "+proc, err)
	}
	return nil
}

// Alive asks the process table.
func (r *Runner) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	l, err := r.Forest.Alive(ctx, proc)
	if err != nil {
		return sandbox.AliveUnknown, Classify("probe process "+proc, err)
	}
	return sandbox.Liveness(l.String()), nil
}

// Close ends all that runs in the sandbox and lets nothing be started there any
// more, by anybody. It is for the moment before the folders are removed.
func (r *Runner) Close(ctx context.Context) error {
	if err := r.Forest.Close(ctx, killGrace); err != nil {
		return KillError(r.log(), "end what runs in the sandbox", err)
	}
	return nil
}
