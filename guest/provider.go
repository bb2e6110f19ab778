package main

import (
	"context"
	"errors"
	"os"
	"os/user"
	"path/filepath"

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

// newProvider makes the folders that are missing and opens them.
func newProvider(root, own string) (*provider, error) {
	state := filepath.Join(own, "state")
	home := homeOf()
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
	runner, err := processes.Open(root, home, state, os.Environ())
	if err != nil {
		return nil, err
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
func homeOf() string {
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) && u.HomeDir != "/" {
		err := unix.Access(u.HomeDir, unix.W_OK)
		if err == nil || errors.Is(err, unix.ENOENT) && u.Uid == "0" {
			return u.HomeDir
		}
	}
	return spareHome
}
