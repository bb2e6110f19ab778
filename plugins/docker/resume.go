package main

import (
	"context"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Resume finds a container by its id and has it run: what was stopped is started,
// what was paused goes on.
func (p *provider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if !isID(req.ID) {
		return nil, sandbox.Errorf(sandbox.Invalid, "resume sandbox %.100q: that is no id of a container", req.ID)
	}
	doing := "resume sandbox " + req.ID
	c, err := p.engine.ContainerInspect(ctx, req.ID)
	if errdefs.IsNotFound(err) {
		if err := p.elsewhere(ctx, doing, req.ID); err != nil {
			return nil, err
		}
		return nil, sandbox.Errorf(sandbox.Gone, "%s: the engine has no such container", doing)
	}
	if err != nil {
		return nil, classify(doing, err)
	}
	if req.Progress != nil && (c.State.Paused || c.State.OOMKilled || !c.State.Running) {
		req.Progress(sandbox.Progress{Phase: "start", Detail: was(c), Percent: -1})
	}
	switch {
	case c.State.Dead, c.State.Status == "removing":
		return nil, sandbox.Errorf(sandbox.Gone, "%s: the engine is removing the container", doing)
	case c.State.Paused:
		err = p.engine.ContainerUnpause(ctx, c.ID)
		if errdefs.IsConflict(err) {
			err = nil // another was faster, or its snapshot is finished
		}
	default:
		err = p.engine.ContainerStart(ctx, c.ID, container.StartOptions{}) // no error where it runs
	}
	if err != nil {
		return nil, classify(doing, err)
	}
	return p.open(ctx, req.ID, req.Env, req.Network)
}

// was tells in what state a container was found, for a person.
func was(c container.InspectResponse) string {
	switch s := c.State; {
	case s.Paused:
		return "it was paused"
	case s.Running && s.OOMKilled:
		return "it runs; a process of it was killed for its memory before" + limitOf(c)
	case s.Running:
		return "it runs"
	case s.OOMKilled:
		return "it had ended as its memory was used up" + limitOf(c)
	case s.Status == "created":
		return "it was never started"
	default:
		return fmt.Sprintf("it had stopped, with exit code %d", s.ExitCode)
	}
}

func limitOf(c container.InspectResponse) string {
	if c.HostConfig == nil || c.HostConfig.Memory == 0 {
		return ""
	}
	return fmt.Sprintf(" (memory = %d MiB)", c.HostConfig.Memory>>20)
}
