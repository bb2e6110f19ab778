package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// find returns the image to make containers of; it is pulled where the
// configuration says so.
func (p *provider) find(ctx context.Context, report func(sandbox.Progress)) (image.InspectResponse, error) {
	name := p.config.Image
	if p.config.Pull != pullAlways {
		found, err := p.engine.ImageInspect(ctx, name)
		switch {
		case err == nil:
			return found, p.fits(ctx, found)
		case !errdefs.IsNotFound(err):
			return found, classify("look for image "+name, err)
		case p.config.Pull == pullNever:
			return found, &sandbox.Error{
				Class: sandbox.NotFound, Provider: "docker", Attribute: "image", Cause: err,
				Message: fmt.Sprintf("the Docker engine has no image %s, and pull is \"never\"", name),
				Hint:    "pull it with `docker pull " + name + "`, or set pull = \"missing\"",
			}
		}
	}
	if err := p.pull(ctx, name, report); err != nil {
		return image.InspectResponse{}, err
	}
	found, err := p.engine.ImageInspect(ctx, name)
	if err != nil {
		return found, classify("look for image "+name, err)
	}
	return found, p.fits(ctx, found)
}

// fits tells of an image for another kind of machine, which would fail at its
// first program with a message that says nothing.
func (p *provider) fits(ctx context.Context, found image.InspectResponse) error {
	has := found.Os + "/" + found.Architecture
	if want := p.config.Platform; want != "" && !strings.HasPrefix(has+"/"+found.Variant, want) {
		return &sandbox.Error{
			Class: sandbox.Invalid, Provider: "docker", Attribute: "platform",
			Message: fmt.Sprintf("the image %s is for %s, the configuration says platform = %q", p.config.Image, has, want),
			Hint:    fmt.Sprintf("pull that one with `docker pull --platform %s %s`, or leave platform out", want, p.config.Image),
		}
	} else if want != "" {
		return nil // asked for: the engine's machine may emulate it
	}
	engine, err := p.engine.ServerVersion(ctx)
	if err != nil {
		return classify("ask the engine for its platform", err)
	}
	if its := engine.Os + "/" + engine.Arch; its != has {
		return &sandbox.Error{
			Class: sandbox.Invalid, Provider: "docker", Attribute: "image",
			Message: fmt.Sprintf("the image %s is for %s, and the engine's machine is %s", p.config.Image, has, its),
			Hint: fmt.Sprintf("pull the right one with `docker pull --platform %s %s`, or say platform = %q if that machine can run it by emulation",
				its, p.config.Image, has),
		}
	}
	return nil
}

// pull pulls an image and tells how far it is.
func (p *provider) pull(ctx context.Context, name string, report func(sandbox.Progress)) error {
	doing := "pull image " + name
	auth, err := p.credentials(name)
	if err != nil {
		return classify(doing, err)
	}
	stream, err := p.engine.ImagePull(ctx, name, image.PullOptions{RegistryAuth: auth, Platform: p.config.Platform})
	if err != nil {
		return classify(doing, err)
	}
	defer func() { _ = stream.Close() }()
	layers := layers{by: map[string]layer{}}
	for in := json.NewDecoder(stream); ; {
		var m pullMessage
		switch err := in.Decode(&m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return classify(doing, err)
		case m.Error != "":
			return classify(doing, errors.New(m.Error))
		}
		layers.take(m)
		if report != nil {
			report(sandbox.Progress{Phase: "pull", Detail: "pulling " + name + layers.count(), Percent: layers.percent()})
		}
	}
}

// pullMessage is one line of what the engine says of a pull.
type pullMessage struct {
	ID       string                         `json:"id"`
	Status   string                         `json:"status"`
	Error    string                         `json:"error"`
	Progress struct{ Current, Total int64 } `json:"progressDetail"`
}
