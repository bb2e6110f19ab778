package sdk

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// Harness says what a harness plugin is. C is the struct its configuration
// block is decoded into; see sdk/schema for the tags.
type Harness[C any] struct {
	Type    string // type in the configuration, e.g. "acp": the binary is sandlot-harness-acp
	Version string // of the plugin, e.g. "1.2.0"

	Traits harness.Traits // what describe tells of the agent's program

	// New makes the configured harness; it is called once per process. ctx is
	// that of the call: it ends when New returns. Invalid with Attribute set
	// points at the line of the configuration.
	New func(ctx context.Context, config C, host Host) (harness.Harness, error)

	Env     []string // environment variables wanted beside the usual ones; "*" is all
	Licence string   // SPDX identifier
	Issues  string   // URL where problems are reported
}

// ServeHarness serves a harness until the host lets go of it; it doesn't
// return.
func ServeHarness[C any](h Harness[C]) {
	log := plugin.NewLog()
	serve(plugin.Main{
		Describe: func() (plugin.Description, error) { return describeHarness(h) },
		Log:      log,
		Harness: func(ctx context.Context, c plugin.Configure) (harness.Harness, error) {
			var config C
			if err := decode(c.Config, &config); err != nil {
				return nil, err
			}
			return h.New(ctx, config, hostOf(c, log))
		},
	})
}

func describeHarness[C any](h Harness[C]) (plugin.Description, error) {
	block, err := schema.Of(new(C))
	if err != nil {
		return plugin.Description{}, err
	}
	traits := h.Traits
	return plugin.Description{
		Kind: plugin.KindHarness, Type: h.Type, Version: h.Version,
		SDK: plugin.SDKVersion, Protocols: plugin.Protocols(),
		Traits: &traits, Schema: block,
		Env: h.Env, Licence: h.Licence, Issues: h.Issues,
	}, nil
}
