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
			return found, p.fits(found)
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
	return found, p.fits(found)
}

// fits tells of an image for another kind of machine, which would fail at its
// first program with a message that says nothing.
func (p *provider) fits(found image.InspectResponse) error {
	has := found.Os + "/" + found.Architecture
	if want := p.config.Platform; want != "" && !strings.HasPrefix(has+"/"+found.Variant, want) {
		return &sandbox.Error{
			Class: sandbox.Invalid, Provider: "docker", Attribute: "platform",
			Message: fmt.Sprintf("the image %s is for %s, the configuration says platform = %q", p.config.Image, has, want),
			Hint:    fmt.Sprintf("pull that one with `docker pull --platform %s %s`, or leave platform out", want, p.config.Image),
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
	layers := layers{}
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
			report(sandbox.Progress{Phase: "pull", Detail: "pulling " + name, Percent: layers.percent()})
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

// layers knows how far each layer of an image is.
type layers map[string]struct{ done, of int64 }

func (l layers) take(m pullMessage) {
	state := l[m.ID]
	switch {
	case m.ID == "":
		return
	case m.Status == "Downloading":
		state.done, state.of = m.Progress.Current, m.Progress.Total
	case m.Status == "Download complete", m.Status == "Already exists", m.Status == "Pull complete":
		state.done = state.of
	}
	l[m.ID] = state
}

// percent is that of the bytes that are known of; -1 where none are.
func (l layers) percent() int {
	var done, of int64
	for _, state := range l {
		done, of = done+state.done, of+state.of
	}
	if of == 0 {
		return -1
	}
	return int(100 * done / of)
}
