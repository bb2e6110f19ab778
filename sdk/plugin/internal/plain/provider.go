//go:build unix

package plain

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Provider keeps its sandboxes in a folder.
type Provider struct {
	Dir string

	mu    sync.Mutex
	procs map[string]*proc // by sandbox and command id
}

var _ sandbox.Provider = (*Provider)(nil)

// New makes a provider over a folder.
func New(dir string) *Provider { return &Provider{Dir: dir, procs: map[string]*proc{}} }

// Create implements sandbox.Provider.
func (p *Provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if req.Key == "" {
		return nil, sandbox.Errorf(sandbox.Invalid, "create sandbox: the key is empty")
	}
	if req.Progress != nil {
		req.Progress(sandbox.Progress{Phase: "create", Detail: "making a folder", Percent: -1})
	}
	if err := os.MkdirAll(filepath.Join(p.Dir, req.Key), 0o700); err != nil {
		return nil, err
	}
	return p.Resume(ctx, sandbox.ResumeRequest{ID: req.Key})
}

// Resume implements sandbox.Provider.
func (p *Provider) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	root := filepath.Join(p.Dir, req.ID)
	if _, err := os.Stat(root); err != nil {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox: there is no folder %s", root)
	}
	return &Box{provider: p, id: req.ID, root: root, env: req.Env}, nil
}

// Destroy implements sandbox.Provider.
func (p *Provider) Destroy(_ context.Context, id string) error {
	return os.RemoveAll(filepath.Join(p.Dir, id))
}

// List implements sandbox.Provider.
func (p *Provider) List(context.Context) ([]sandbox.Summary, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	var list []sandbox.Summary
	for _, e := range entries {
		list = append(list, sandbox.Summary{
			ID: e.Name(), State: sandbox.StateRunning, Labels: sandbox.Labels{Owner: sandbox.OwnerUnknown},
		})
	}
	return list, nil
}

// Capabilities implements sandbox.Provider.
func (p *Provider) Capabilities() sandbox.Capabilities { return Capabilities() }

// Capabilities is what it can do.
func Capabilities() sandbox.Capabilities {
	return sandbox.Capabilities{
		Files: true, WritableStdin: true, KillableProcesses: true, DurableFilesystem: true,
		NetworkPolicy: sandbox.NetworkNone,
	}
}

// Box is one sandbox.
type Box struct {
	provider *Provider
	id, root string
	env      map[string]string
}

var (
	_ sandbox.Sandbox = (*Box)(nil)
	_ sandbox.Filer   = (*Box)(nil)
)

// ID implements sandbox.Sandbox.
func (b *Box) ID() string { return b.id }

// Info implements sandbox.Sandbox.
func (b *Box) Info() sandbox.Info {
	return sandbox.Info{
		Root: b.root, Home: b.root, StateDir: filepath.Join(b.root, ".state"),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Isolation: sandbox.IsolationNone,
		KillScope: sandbox.KillMark, Capabilities: Capabilities(),
	}
}

// Files implements sandbox.Filer.
func (b *Box) Files() sandbox.Files { return files{b.root} }
