package runs

import (
	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

func encode(e agui.Event) ([]byte, error) { return agui.Marshal(e) }

// Rules turns a policy block into what policy decides by; scripts are those of the
// workspace by name.
func Rules(p config.Policy, scripts map[string]string) policy.Policy {
	return policy.Policy{
		Default: policy.Action(p.Default), FileWrite: policy.Action(p.FileWrite),
		Commands: policy.Commands(p.Commands), Scripts: scripts,
		Network: policy.Action(p.Network.Default), AllowHosts: p.Network.AllowHosts,
	}
}
