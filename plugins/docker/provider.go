package main

import (
	"context"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// provider is one owner's containers on one engine.
type provider struct {
	config config
	owner  string // id of the host's store; empty: list all
	engine engine
	guests guests
	log    hclog.Logger

	mu    sync.Mutex
	boxes []*box // whose guests end with the provider
}

func newProvider(_ context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s, err := settings()
	if err != nil {
		return nil, err
	}
	e, err := connect(s)
	if err != nil {
		return nil, classify("connect to the Docker engine", err)
	}
	return &provider{config: c, owner: host.Owner, engine: e, guests: embedded(), log: host.Log}, nil
}

// Capabilities is the same for every configuration.
func (p *provider) Capabilities() sandbox.Capabilities { return capabilities() }

// Close lets go of all guests.
func (p *provider) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.boxes {
		b.link.close()
	}
	return nil
}
