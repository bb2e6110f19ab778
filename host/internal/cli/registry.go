package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// plugins are those installed on this machine.
func (a *app) plugins() (*plugins.Plugins, error) { return a.pluginsAs(func(*plugins.Options) {}) }

// pluginsAs are the same with other options.
func (a *app) pluginsAs(with func(*plugins.Options)) (*plugins.Plugins, error) {
	home, err := a.world.home()
	if err != nil {
		return nil, err
	}
	opts := plugins.Options{
		EnvDirs: a.world.envOr("SANDLOT_PLUGIN_DIR", ""), Executable: a.world.Executable,
		Home: home, DataHome: a.world.envOr("XDG_DATA_HOME", ""), Hide: runs.Hide,
	}
	if user := a.world.envOr("HOME", ""); opts.DataHome == "" && user != "" {
		opts.DataHome = filepath.Join(user, ".local", "share")
	}
	if a.flags.pluginDir != "" {
		dir := a.absolute(a.flags.pluginDir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, usagef("--plugin-dir %s: there is no such folder", dir)
		}
		opts.Dirs = []string{dir}
	}
	with(&opts)
	p := plugins.New(opts)
	a.installed = append(a.installed, p)
	return p, nil
}

// schemas gives the configuration the schema of each plugin's block.
func (a *app) schemas(p *plugins.Plugins) func(ctx context.Context, kind, typ string) (schema.Block, error) {
	return func(ctx context.Context, kind, typ string) (schema.Block, error) {
		block, err := p.Schema(ctx, plugins.Kind(kind), typ, a.world.Environ)
		if !errors.Is(err, sandbox.NotFound) {
			return block, err
		}
		unknown := &config.UnknownTypeError{Kind: kind, Type: typ, Looked: p.Folders()}
		for _, c := range p.Candidates() {
			if string(c.Kind) == kind && c.Refused == "" && !c.Hidden {
				unknown.Known = append(unknown.Known, c.Type)
			}
		}
		return schema.Block{}, unknown
	}
}

// engine is what runs need of this machine. Plugins log for the run.
func (a *app) engine(st *store.Store, log *slog.Logger, run string) (*runs.Engine, error) {
	installed, err := a.plugins()
	if err != nil {
		return nil, err
	}
	home, err := a.world.home()
	if err != nil {
		return nil, err
	}
	return &runs.Engine{
		Store: st, Home: home, Env: a.world.env, Environ: a.world.Environ, Log: log,
		Plugins: runs.Installed{Plugins: installed, Environ: a.world.Environ, Owner: st.Owner(), Log: log, Run: run},
	}, nil
}

// stderrEngine is an engine for work outside of runs, which logs to stderr what
// the mask lets through.
func (a *app) stderrEngine(st *store.Store) (*runs.Engine, error) {
	log, err := a.log()
	if err != nil {
		return nil, err
	}
	engine, err := a.engine(st, log, "")
	if err != nil {
		return nil, err
	}
	engine.Mask = a.mask
	engine.Restarts = func(why error) { a.note("%v; it is started anew", why) }
	return engine, nil
}
