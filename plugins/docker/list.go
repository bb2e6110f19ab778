package main

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// List asks the engine for the containers with this owner's label.
func (p *provider) List(ctx context.Context) ([]sandbox.Summary, error) {
	found, err := p.engine.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", p.ownerFilter()))})
	if err != nil {
		return nil, classify("list sandboxes", err)
	}
	var list []sandbox.Summary
	for _, c := range found {
		s := sandbox.Summary{ID: idOf(c), Labels: fromLabels(c.Labels), State: sandbox.StateStopped, Created: time.Unix(c.Created, 0)}
		if c.State == "running" || c.State == "paused" {
			s.State = sandbox.StateRunning
		}
		list = append(list, s)
	}
	return list, nil
}

// ownerFilter is the label of what this owner made; of all that any made, where
// the provider was given none.
func (p *provider) ownerFilter() string {
	if p.owner == "" {
		return labelOwner
	}
	return labelOwner + "=" + p.owner
}
