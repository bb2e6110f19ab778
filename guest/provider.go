//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// provider has one sandbox: what is around this program.
type provider struct{ box *box }

// box is that sandbox.
type box struct {
	*processes.Runner
	info  sandbox.Info
	files sandbox.Files
}

func (b *box) ID() string           { return "guest" }
func (b *box) Info() sandbox.Info   { return b.info }
func (b *box) Files() sandbox.Files { return b.files }

// reapTime bounds the end of what a guest that was killed has left.
const reapTime = 5 * time.Second

// newProvider makes the folders that are missing and opens them. other is a user
// besides the container's own; empty: that.
func newProvider(ctx context.Context, root, own, other string) (*provider, error) {
	if other != "" {
		dir, err := enter(own, other)
		if err != nil {
			return nil, err
		}
		own = dir
	} else if os.Getuid() == 0 {
		if err := openUsers(own); err != nil {
			return nil, err
		}
	}
	state := filepath.Join(own, "state")
	home := homeOf(own)
	for _, dir := range []*string{&root, &home, &state} {
		if err := os.MkdirAll(*dir, 0o700); err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(*dir)
		if err != nil {
			return nil, err
		}
		*dir = real
	}
	runner, err := processes.Open(root, home, state, environment(other != ""))
	if err != nil {
		return nil, err
	}
	runner.Memory = processes.NewMemory("/sys/fs/cgroup")
	ctx, cancel := context.WithTimeout(ctx, reapTime)
	defer cancel()
	if _, err := runner.Forest.Reap(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sandlot-guest: end what a guest before has left:", err)
	}
	info := runner.Describe()
	info.Isolation, info.HostAddress = sandbox.IsolationContainer, ""
	files := localfiles.New(localfiles.Machine{Root: root, Keep: []string{home, state}})
	return &provider{box: &box{Runner: runner, info: info, files: files}}, nil
}

func (p *provider) Capabilities() sandbox.Capabilities { return processes.Capabilities() }

// Resume gives the sandbox, whatever its id.
func (p *provider) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return p.box, nil
}

func (p *provider) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return nil, outside("create sandbox")
}

func (p *provider) Destroy(context.Context, string) error { return outside("destroy sandbox") }

func (p *provider) List(context.Context) ([]sandbox.Summary, error) {
	return nil, outside("list sandboxes")
}

func outside(what string) error {
	return sandbox.Errorf(sandbox.Unsupported, "%s: a guest can't: it is inside of one", what)
}

// spareHome is that of a user who has none. It isn't below the guest's own folder,
// as it is to be in snapshots.
const spareHome = "/home/sandlot"

// homeOf is the home that the user has, if there is one that can be written to.
func homeOf(own string) string {
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) && u.HomeDir != "/" {
		err := unix.Access(u.HomeDir, unix.W_OK)
		if err == nil || errors.Is(err, unix.ENOENT) && u.Uid == "0" {
			return u.HomeDir
		}
	}
	if err := unix.Access(spareHome, unix.W_OK); err == nil || os.Getuid() == 0 {
		return spareHome
	}
	return filepath.Join(own, "home")
}

// environment has the user's names. Those of the container's own user may be set
// by the image or the configuration, and are left then.
func environment(other bool) []string {
	env := os.Environ()
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return env
	}
	for _, name := range []string{"USER", "LOGNAME"} {
		if _, set := os.LookupEnv(name); !set || other {
			env = append(env, name+"="+u.Username)
		}
	}
	return env
}
