package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Installed starts the plugins that are installed on this machine.
type Installed struct {
	Plugins *plugins.Plugins
	Environ []string     // the host's; a plugin gets what it may have of it
	Owner   string       // id of the store
	Log     *slog.Logger // gets the plugins' logs
	Run     string       // id of the run they are for; may be empty

	CloseTimeout time.Duration // for a plugin to end by itself before it is killed; default 1.5 s
}

var _ Plugins = Installed{}

// Provider implements Plugins.
func (i Installed) Provider(ctx context.Context, typ, block string, config json.RawMessage) (Provider, error) {
	p, proc, err := i.Plugins.LaunchProvider(ctx, i.options(typ), i.configure("provider", typ, block, config))
	if err != nil {
		return nil, refused("provider", typ, block, err)
	}
	return runningProvider{p, proc}, nil
}

// Harness implements Plugins.
func (i Installed) Harness(ctx context.Context, typ, block string, config json.RawMessage) (Harness, error) {
	h, proc, err := i.Plugins.LaunchHarness(ctx, i.options(typ), i.configure("harness", typ, block, config))
	if err != nil {
		return nil, refused("harness", typ, block, err)
	}
	return runningHarness{h, proc}, nil
}

// refused names the block, and the attribute that the plugin found fault with.
func refused(kind, typ, block string, err error) error {
	where := fmt.Sprintf("%s %q %q", kind, typ, block)
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Attribute != "" {
		where += ", attribute " + e.Attribute
	}
	return fmt.Errorf("start %s: %w", where, err)
}

func (i Installed) options(typ string) plugins.LaunchOptions {
	return plugins.LaunchOptions{Type: typ, Environ: i.Environ, Log: i.Log, Run: i.Run, CloseTimeout: i.CloseTimeout}
}

func (i Installed) configure(kind, typ, block string, config json.RawMessage) plugins.Configure {
	return plugins.Configure{Config: config, Owner: i.Owner, Block: fmt.Sprintf("%s %q %q", kind, typ, block)}
}

type runningProvider struct {
	sandbox.Provider

	proc *plugins.Process
}

func (p runningProvider) Err() error   { return p.proc.Err() }
func (p runningProvider) Close() error { return p.proc.Close() }

type runningHarness struct {
	plugins.Opener

	proc *plugins.Process
}

func (h runningHarness) SHA256() string { return h.proc.SHA256 }
func (h runningHarness) Err() error     { return h.proc.Err() }
func (h runningHarness) Close() error   { return h.proc.Close() }
