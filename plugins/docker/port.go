package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/docker/go-connections/nat"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Port tells where on this machine's loopback the engine has published a port.
func (b *box) Port(ctx context.Context, port int) (sandbox.Port, error) {
	doing := fmt.Sprintf("find port %d of sandbox %s", port, b.id)
	if !slices.Contains(b.provider.config.Ports, port) {
		hint := fmt.Sprintf("add it to the list ports of the provider's block, e.g. ports = [%d]; a new sandbox then has it", port)
		return sandbox.Port{}, &sandbox.Error{
			Class: sandbox.Invalid, Provider: "docker", Message: doing + ": a container's ports are declared when it is made, and this one isn't", Hint: hint,
		}
	}
	if at := b.provider.engine.DaemonHost(); !local(at) {
		return sandbox.Port{}, &sandbox.Error{
			Class: sandbox.Unsupported, Provider: "docker", Capability: "ports",
			Message: fmt.Sprintf("%s: the Docker engine at %s is on another machine, and publishes ports on that one's loopback only", doing, at),
			Hint:    "forward it from there, for example with ssh -L",
		}
	}
	c, err := b.provider.engine.ContainerInspect(ctx, b.id)
	if err != nil {
		return sandbox.Port{}, classify(doing, err)
	}
	for _, at := range c.NetworkSettings.Ports[tcp(port)] {
		return sandbox.Port{URL: "http://" + net.JoinHostPort(at.HostIP, at.HostPort)}, nil
	}
	if len(networks(c)) == 0 {
		return sandbox.Port{}, &sandbox.Error{
			Class: sandbox.Unsupported, Provider: "docker", Capability: "ports",
			Message: doing + ": the container's policy denies it the network, without which no port is published",
			Hint:    "allow the network, and take a new sandbox",
		}
	}
	return sandbox.Port{}, sandbox.Errorf(sandbox.Unavailable, "%s: the engine hasn't published it: %s", doing, was(c))
}

// local reports whether an engine's address is on this machine.
func local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Scheme == "unix" || u.Scheme == "npipe" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "tcp" && (u.Hostname() == "localhost" || ip.IsLoopback())
}

// tcp is a port as the engine writes it.
func tcp(port int) nat.Port { return nat.Port(fmt.Sprintf("%d/tcp", port)) }

// publish has the engine choose a port of the loopback for each that is declared.
func (c config) publish() (nat.PortSet, nat.PortMap) {
	exposed, bound := nat.PortSet{}, nat.PortMap{}
	for _, port := range c.Ports {
		exposed[tcp(port)] = struct{}{}
		bound[tcp(port)] = []nat.PortBinding{{HostIP: "127.0.0.1"}}
	}
	return exposed, bound
}

func (c config) checkPorts() error {
	for i, port := range c.Ports {
		if port < 1 || port > 65535 {
			return invalid(fmt.Sprintf("ports[%d]", i), "ports: %d is no port: it must be 1 to 65535", port)
		}
	}
	return nil
}
