package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// provider is the folder of all sandboxes.
type provider struct {
	config config
	owner  string      // id of the host's store; empty: list all
	home   string      // the host's own folder
	env    environment // what processes inherit
	log    hclog.Logger
	trees  proctree.Options
}

func newProvider(_ context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
	p, err := configure(c, host, os.Environ())
	if err != nil {
		return nil, err
	}
	return p, nil
}

// configure makes a provider whose processes inherit environ.
func configure(c config, host sdk.Host, environ []string) (*provider, error) {
	if !filepath.IsAbs(host.Home) {
		return nil, sandbox.Errorf(sandbox.Invalid, "configure localprocess: SANDLOT_HOME is %q, an absolute path is needed", host.Home)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	env := c.inherited(newEnvironment(environ, windows))
	return &provider{config: c, owner: host.Owner, home: host.Home, env: env, log: host.Log}, nil
}

const windows = runtime.GOOS == "windows"

func capabilities() sandbox.Capabilities {
	return sandbox.Capabilities{
		Files: true, WritableStdin: true, KillableProcesses: !windows,
		DurableFilesystem: true, PTY: processes.Terminals, NetworkPolicy: sandbox.NetworkNone,
	}
}

// Capabilities is the same for every configuration.
func (p *provider) Capabilities() sandbox.Capabilities { return capabilities() }

func (p *provider) folder() string { return filepath.Join(p.home, "sandboxes") }

var (
	keyPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	idPattern  = regexp.MustCompile(`^sandlot-([0-9a-f]{16})$`)
)

// place is where one sandbox lies.
type place struct{ id, base string }

func (p *provider) placeOfKey(key string) (place, error) {
	if !keyPattern.MatchString(key) {
		return place{}, sandbox.Errorf(sandbox.Invalid, "create sandbox: key %q is not 64 hex digits", key)
	}
	return p.place(key[:16]), nil
}

// placeOfID is false for an id that this provider can't have given.
func (p *provider) placeOfID(id string) (place, bool) {
	m := idPattern.FindStringSubmatch(id)
	if m == nil {
		return place{}, false
	}
	return p.place(m[1]), true
}

func (p *provider) place(key16 string) place {
	return place{id: "sandlot-" + key16, base: filepath.Join(p.folder(), key16)}
}

func (pl place) root() string  { return filepath.Join(pl.base, "root") }
func (pl place) state() string { return filepath.Join(pl.base, "state") }

// refuse names what this provider can't do, before anything is made.
func refuse(network sandbox.Network, secrets []sandbox.Secret) error {
	e := &sandbox.Error{Class: sandbox.Unsupported, Provider: "localprocess"}
	switch {
	case network.Deny:
		e.Capability, e.Hint = "network_policy", "use a container or a machine for this sandbox"
		e.Message = "a local process can't be kept from the network"
	case len(secrets) > 0:
		e.Capability = "brokers_secrets"
		e.Message = fmt.Sprintf("localprocess brokers no secrets, %d were handed over", len(secrets))
	default:
		return nil
	}
	return e
}
