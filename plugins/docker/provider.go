package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

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

	known  known
	untidy atomic.Bool // something was removed: what it alone used is for Close

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

// closeTimeout bounds what Close removes: a host waits for it.
const closeTimeout = 5 * time.Second

// Close lets go of all guests, and removes what the last sandbox leaves.
func (p *provider) Close() error {
	p.letGo(func(*box) bool { return true })
	if !p.untidy.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return p.tidy(ctx)
}

// letGo closes the guests of some boxes and forgets them.
func (p *provider) letGo(of func(*box) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.boxes = slices.DeleteFunc(p.boxes, func(b *box) bool {
		if !of(b) {
			return false
		}
		b.close()
		return true
	})
}
