package plugins

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// LaunchOptions say how to start a plugin's process.
type LaunchOptions struct {
	Kind    Kind
	Type    string
	Environ []string     // the host's environment, as os.Environ; the plugin gets what it may have
	Log     *slog.Logger // the plugin's log, with plugin= and, if Run is set, run=; nil: dropped
	Run     string       // id of the run it is for; may be empty

	CloseTimeout time.Duration // for it to end by itself on Close, before it is killed; default 1.5 s
}

// Process is a running plugin. Its methods are those of the SDK's client:
// Provider and Harness configure it, Done and Err tell of its end, Close ends it.
type Process struct {
	*plugin.Client

	Path   string // of the program
	SHA256 string // of the program, hex
}

// Launch starts a plugin's process. One process serves one configuration
// block.
func (p *Plugins) Launch(ctx context.Context, opts LaunchOptions) (*Process, error) {
	c, d, err := p.describe(ctx, opts.Kind, opts.Type, opts.Environ)
	if err != nil {
		return nil, err
	}
	launch := plugin.LaunchOptions{
		Path:         c.Path,
		Name:         plugin.Binary(opts.Kind, opts.Type),
		Env:          Environ(opts.Environ, d.d.Env, p.opts.Home),
		Timeouts:     p.opts.Timeouts,
		CloseTimeout: opts.CloseTimeout,
	}
	if opts.Log != nil {
		launch.Stderr = relevel(opts.Log, opts.Type, opts.Run)
	}
	if p.opts.Home != "" && !p.opts.Traceless {
		shared := filepath.Join(p.opts.Home, "sockets")
		p.sweep.Do(func() { plugin.SweepSockets(shared) })
		launch.SocketDir = plugin.HostSockets(shared)
	}
	client, err := plugin.Launch(ctx, launch)
	if err != nil {
		return nil, err
	}
	return &Process{Client: client, Path: c.Path, SHA256: d.sum}, nil
}

// LaunchProvider starts a provider's process and configures it. Close the
// process when the provider isn't needed any more.
func (p *Plugins) LaunchProvider(ctx context.Context, opts LaunchOptions, conf Configure) (sandbox.Provider, *Process, error) {
	opts.Kind = Provider
	proc, err := p.Launch(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	provider, err := proc.Provider(ctx, conf)
	if err != nil {
		return nil, nil, closeAfter(proc, err)
	}
	return provider, proc, nil
}

// LaunchHarness does the same for a harness.
func (p *Plugins) LaunchHarness(ctx context.Context, opts LaunchOptions, conf Configure) (Opener, *Process, error) {
	opts.Kind = Harness
	proc, err := p.Launch(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	opener, err := proc.Harness(ctx, conf)
	if err != nil {
		return nil, nil, closeAfter(proc, err)
	}
	return opener, proc, nil
}

func closeAfter(proc *Process, err error) error {
	_ = proc.Close() // the process is of no use; err says why
	return err
}
