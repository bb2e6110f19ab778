package plugins

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// LaunchOptions say how to start a plugin's process.
type LaunchOptions struct {
	Kind    Kind
	Type    string
	Environ []string            // the host's environment, as os.Environ; the plugin gets what it may have
	Log     *slog.Logger        // the plugin's log, with plugin= and, if Run is set, run=; nil: dropped
	Run     string              // id of the run it is for; may be empty
	Scrub   func([]byte) []byte // takes secrets out of what the plugin says when it crashes; nil: there are none

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
// block. Its crashes are written down in the folder "crashes" of Options.Home.
func (p *Plugins) Launch(ctx context.Context, opts LaunchOptions) (*Process, error) {
	return p.launch(ctx, opts, Configure{})
}

func (p *Plugins) launch(ctx context.Context, opts LaunchOptions, conf Configure) (*Process, error) {
	c, f, err := p.describe(ctx, opts.Kind, opts.Type, opts.Environ, false)
	if err != nil {
		return nil, err
	}
	proc, err := p.start(ctx, opts, conf, c, f)
	if err != nil || f.agrees(proc.Description()) {
		return proc, err
	}
	// What an earlier process kept of it isn't so: it is asked.
	_ = proc.Close() // it is of no use: it was given what another wants
	p.forget(c.Path)
	if c, f, err = p.describe(ctx, opts.Kind, opts.Type, opts.Environ, true); err != nil {
		return nil, err
	}
	return p.start(ctx, opts, conf, c, f)
}

// agrees reports whether a running program says of itself what was taken over of
// it from an earlier process. What this one asked of it is held to the file only.
func (f facts) agrees(running Description) bool { return f.asked || same(f.d, running) }

// start starts the process of a program whose facts are known.
func (p *Plugins) start(ctx context.Context, opts LaunchOptions, conf Configure, c Candidate, f facts) (*Process, error) {
	env := Environ(opts.Environ, f.d.Env, p.opts.Home)
	launch := plugin.LaunchOptions{
		Path:         c.Path,
		Name:         plugin.Binary(opts.Kind, opts.Type),
		Env:          tracing(opts.Log, env),
		Timeouts:     p.opts.Timeouts,
		StartTimeout: p.opts.StartTimeout,
		CloseTimeout: opts.CloseTimeout,
		Scrub:        p.scrubber(env, opts.Scrub),
	}
	launch.Report = func(i plugin.Incident) string {
		if i.About.Type == "" {
			i.About = f.d // it didn't get so far as to say so itself
		}
		return p.report(report{
			incident: i, kind: opts.Kind, typ: opts.Type, sha256: f.sum, run: opts.Run, config: conf.Config, scrub: launch.Scrub,
		})
	}
	if opts.Log != nil {
		launch.Stderr = relevel(opts.Log, opts.Type, opts.Run)
		launch.Calls = logCalls(opts.Log, opts.Type, opts.Run)
	}
	if p.opts.Home != "" && !p.opts.Traceless {
		shared := filepath.Join(p.opts.Home, "sockets")
		p.sweep.Do(func() { plugin.SweepSockets(shared) })
		launch.SocketDir = plugin.HostSockets(shared)
	}
	client, err := plugin.Launch(ctx, launch)
	if err != nil {
		if changed := f.still(c.Path); changed != nil && ctx.Err() == nil {
			return nil, changed
		}
		return nil, err
	}
	proc := &Process{Client: client, Path: c.Path, SHA256: f.sum}
	if err := f.still(c.Path); err != nil {
		return nil, closeAfter(proc, err)
	}
	go func() { // a crash is written down also where no call meets it
		<-client.Done()
		_ = client.Err()
	}()
	return proc, nil
}

// report writes a report where there is a place for it.
func (p *Plugins) report(r report) string {
	if p.opts.Home == "" {
		return ""
	}
	r.at = time.Now()
	return r.write(filepath.Join(p.opts.Home, "crashes"))
}

// still makes sure that what runs is what was described: the file's name may
// have been given to another in between.
func (f facts) still(path string) error {
	if info, err := os.Stat(path); err == nil && f.key == keyOf(path, info) {
		return nil
	}
	return &sandbox.Error{
		Class:   sandbox.Conflict,
		Message: fmt.Sprintf("start plugin: %s was replaced while it was being started", path),
		Hint:    "try again once it is installed",
	}
}

// LaunchProvider starts a provider's process and configures it. Close the
// process when the provider isn't needed any more.
func (p *Plugins) LaunchProvider(ctx context.Context, opts LaunchOptions, conf Configure) (sandbox.Provider, *Process, error) {
	opts.Kind = Provider
	proc, err := p.launch(ctx, opts, conf)
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
	proc, err := p.launch(ctx, opts, conf)
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
