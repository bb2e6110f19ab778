package sdk

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// Host is what the host tells a plugin beside its configuration.
type Host struct {
	Owner string       // id of the host's store: what is made is labelled with it
	Block string       // the configuration block, for messages, e.g. `provider "docker" "isolated"`
	Home  string       // the host's own folder, absolute ($SANDLOT_HOME); empty if it has none
	Log   hclog.Logger // goes to the host's log; never nil
}

func hostOf(c plugin.Configure, log hclog.Logger) Host {
	return Host{Owner: c.Owner, Block: c.Block, Home: os.Getenv("SANDLOT_HOME"), Log: log}
}

// decode fills a configuration struct. What is wrong with a value comes back
// with the path of its attribute, so that the host can point at the line.
func decode(config json.RawMessage, into any) error {
	err := schema.Decode(config, into)
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*schema.PathError](err); ok {
		return &sandbox.Error{Class: sandbox.Invalid, Message: at.Message, Attribute: at.Path, Cause: err}
	}
	return sandbox.Errorf(sandbox.Invalid, "decode configuration: %w", err)
}

// serve runs the plugin and ends the process.
func serve(m plugin.Main) { os.Exit(m.Run(os.Args[1:])) }
