package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/harness"
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
func (i Installed) Provider(ctx context.Context, b Block) (Provider, error) {
	p, proc, err := i.Plugins.LaunchProvider(ctx, i.options(b), i.configure("provider", b))
	if err != nil {
		return nil, refused("provider", b, err)
	}
	return runningProvider{p, proc}, nil
}

// Harness implements Plugins.
func (i Installed) Harness(ctx context.Context, b Block) (Harness, error) {
	h, proc, err := i.Plugins.LaunchHarness(ctx, i.options(b), i.configure("harness", b))
	if err != nil {
		return nil, refused("harness", b, err)
	}
	return runningHarness{h, proc}, nil
}

// refused names the block, and the attribute that the plugin found fault with.
func refused(kind string, b Block, err error) error {
	where := b.title(kind)
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Attribute != "" {
		where += ", attribute " + e.Attribute
	}
	return fmt.Errorf("start %s: %w", where, err)
}

// title is the block's head.
func (b Block) title(kind string) string { return fmt.Sprintf("%s %q %q", kind, b.Type, b.Name) }

func (i Installed) options(b Block) plugins.LaunchOptions {
	return plugins.LaunchOptions{
		Type: b.Type, Environ: i.Environ, Log: i.Log, Run: i.Run, Scrub: b.Scrub, CloseTimeout: i.CloseTimeout,
	}
}

func (i Installed) configure(kind string, b Block) plugins.Configure {
	return plugins.Configure{Config: b.Config, Owner: i.Owner, Block: b.title(kind), At: b.At}
}

type runningProvider struct {
	sandbox.Provider

	proc *plugins.Process
}

func (p runningProvider) Err() error   { return p.proc.Err() }
func (p runningProvider) Close() error { return p.proc.Close() }

// Unwrap is for sandbox.AsProvider.
func (p runningProvider) Unwrap() sandbox.Provider { return p.Provider }

type runningHarness struct {
	plugins.Opener

	proc *plugins.Process
}

func (h runningHarness) SHA256() string { return h.proc.SHA256 }

// Traits implements Harness; one that says nothing of its agent has none.
func (h runningHarness) Traits() harness.Traits {
	if t := h.proc.Description().Traits; t != nil {
		return *t
	}
	return harness.Traits{}
}

func (h runningHarness) Err() error   { return h.proc.Err() }
func (h runningHarness) Close() error { return h.proc.Close() }
