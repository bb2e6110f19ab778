package cli

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

type registry struct {
	dir string
	env []string
}

func (a *app) registry() (*registry, error) {
	h, err := a.world.home()
	return &registry{filepath.Join(filepath.Dir(a.world.Executable), "plugins"), append(a.world.Environ, "SANDLOT_HOME="+h)}, err
}

func (r *registry) schema(ctx context.Context, kind, typ string) (schema.Block, error) {
	p := filepath.Join(r.dir, plugin.Binary(plugin.Kind(kind), typ))
	if _, err := os.Stat(p); err != nil {
		return schema.Block{}, &config.UnknownTypeError{Kind: kind, Type: typ, Looked: []string{r.dir}}
	}
	out, err := exec.CommandContext(ctx, p, "describe").Output()
	if err != nil {
		return schema.Block{}, err
	}
	var d plugin.Description
	err = json.Unmarshal(out, &d)
	return d.Schema, err
}

type interim struct {
	r     *registry
	log   *slog.Logger
	owner string
}

func (r *registry) plugins(log *slog.Logger, owner string) runs.Plugins {
	return interim{r, log, owner}
}

func (i interim) launch(ctx context.Context, kind plugin.Kind, typ string) (*plugin.Client, error) {
	return plugin.Launch(ctx, plugin.LaunchOptions{Path: filepath.Join(i.r.dir, plugin.Binary(kind, typ)), Env: i.r.env,
		Stderr: func(l []byte) { i.log.Info(string(l), "plugin", typ) }})
}

type prov struct {
	sandbox.Provider
	c *plugin.Client
}

func (p prov) Err() error   { return p.c.Err() }
func (p prov) Close() error { return p.c.Close() }

func (i interim) Provider(ctx context.Context, typ, block string, cfg json.RawMessage) (runs.Provider, error) {
	c, err := i.launch(ctx, plugin.KindProvider, typ)
	if err != nil {
		return nil, err
	}
	p, err := c.Provider(ctx, plugin.Configure{Config: cfg, Owner: i.owner, Block: block})
	return prov{p, c}, err
}

type harn struct {
	plugin.Opener
	c *plugin.Client
}

func (p harn) Err() error     { return p.c.Err() }
func (p harn) Close() error   { return p.c.Close() }
func (p harn) SHA256() string { return "x" }

func (i interim) Harness(ctx context.Context, typ, block string, cfg json.RawMessage) (runs.Harness, error) {
	c, err := i.launch(ctx, plugin.KindHarness, typ)
	if err != nil {
		return nil, err
	}
	p, err := c.Harness(ctx, plugin.Configure{Config: cfg, Owner: i.owner, Block: block})
	return harn{p, c}, err
}
