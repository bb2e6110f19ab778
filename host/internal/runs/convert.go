package runs

import (
	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

func encode(e agui.Event) ([]byte, error) { return agui.Marshal(e) }

// rules turns a policy block into what policy decides by.
func rules(p config.Policy) policy.Policy {
	return policy.Policy{
		Default: policy.Action(p.Default), FileWrite: policy.Action(p.FileWrite),
		Commands: policy.Commands(p.Commands),
	}
}
