package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// allows refuses what a closed network contradicts.
func (c config) allows(n sandbox.Network) error {
	if n.Deny && c.HostAccess {
		return invalid("host_access", "host_access lets the container reach this machine, and the policy denies it the network: leave out one of both")
	}
	return nil
}

// isolate gives a container that is to be made no network but its own loopback.
func isolate(h *container.HostConfig, n sandbox.Network) {
	if n.Deny {
		h.NetworkMode, h.PortBindings = network.NetworkNone, nil // ports need a network
	}
}

// cut takes a container that runs off every network. Nothing is ever opened
// again: what was closed stays so, whoever resumes it.
func (p *provider) cut(ctx context.Context, id string, n sandbox.Network) error {
	if !n.Deny {
		return nil
	}
	c, err := p.engine.ContainerInspect(ctx, id)
	if err != nil {
		return classify("look at the container's networks", err)
	}
	for _, name := range networks(c) {
		if err := p.engine.NetworkDisconnect(ctx, name, id, true); err != nil {
			return classify("take the container off network "+name, err)
		}
	}
	return nil
}

// networks are those that a container is on, beside its loopback.
func networks(c container.InspectResponse) []string {
	if c.NetworkSettings == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.NetworkSettings.Networks)), func(name string) bool { return name == network.NetworkNone })
}

// closed reports a way out that a container has in spite of all.
func closed(seen guest.Surroundings, n sandbox.Network) error {
	if !n.Deny || len(seen.Links) == 0 {
		return nil
	}
	return &sandbox.Error{
		Class: sandbox.Unsupported, Provider: "docker", Capability: "network_policy",
		Message: fmt.Sprintf("the policy denies the network, and the container has %s all the same: the engine didn't close it", strings.Join(seen.Links, ", ")),
		Hint:    "use another engine, or allow the network",
	}
}
