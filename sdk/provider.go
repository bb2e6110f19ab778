package sdk

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// Provider says what a provider plugin is. C is the struct its configuration
// block is decoded into; see sdk/schema for the tags.
type Provider[C any] struct {
	Type    string // type in the configuration, e.g. "docker": the binary is sandlot-provider-docker
	Version string // of the plugin, e.g. "1.2.0"

	// Provider and Sandbox are typed nil pointers, e.g. (*provider)(nil). Their
	// types tell describe which optional interfaces there are.
	Provider sandbox.Provider
	Sandbox  sandbox.Sandbox

	// Capabilities is the most that any configuration can do. Files, Ports,
	// Snapshots, Forks and Keeps needn't be set: they are made from the types of
	// Provider and Sandbox. Where those have Snapshots or Forks, Disruption must be.
	Capabilities sandbox.Capabilities

	// Isolation and KillScope are what every sandbox of it has, for those who want
	// to know before one is made; empty: they differ, or aren't known. What Info
	// says counts.
	Isolation sandbox.Isolation
	KillScope sandbox.KillScope

	// New makes the configured provider; it is called once per process. ctx is
	// that of the call: it ends when New returns. Invalid with Attribute set
	// points at the line of the configuration.
	New func(ctx context.Context, config C, host Host) (sandbox.Provider, error)

	Env     []string // environment variables wanted beside the usual ones; "*" is all
	Licence string   // SPDX identifier
	Issues  string   // URL where problems are reported
}

// ServeProvider serves a provider until the host lets go of it; it doesn't
// return.
func ServeProvider[C any](p Provider[C]) {
	log := plugin.NewLog()
	serve(plugin.Main{
		Describe: func() (plugin.Description, error) { return describeProvider(p) },
		Log:      log,
		Sandbox:  p.Sandbox,
		Provider: func(ctx context.Context, c plugin.Configure) (sandbox.Provider, error) {
			return newProvider(ctx, p, c, log)
		},
	})
}

func newProvider[C any](ctx context.Context, p Provider[C], c plugin.Configure, log hclog.Logger) (sandbox.Provider, error) {
	var config C
	if err := decode(c.Config, &config); err != nil {
		return nil, err
	}
	return p.New(ctx, config, hostOf(c, log))
}

func describeProvider[C any](p Provider[C]) (plugin.Description, error) {
	block, err := schema.Of(new(C))
	if err != nil {
		return plugin.Description{}, err
	}
	caps := p.Capabilities.Of(p.Provider, p.Sandbox)
	if err := caps.Check(); err != nil {
		return plugin.Description{}, err
	}
	if caps.NetworkPolicy == "" {
		caps.NetworkPolicy = sandbox.NetworkNone
	}
	return plugin.Description{
		Kind: plugin.KindProvider, Type: p.Type, Version: p.Version,
		SDK: plugin.SDKVersion, Protocols: plugin.Protocols(),
		Capabilities: &caps, Schema: block, Isolation: p.Isolation, KillScope: p.KillScope,
		Env: p.Env, Licence: p.Licence, Issues: p.Issues,
	}, nil
}
