package main

import (
	"context"
	"errors"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/volume"
)

// Destroy removes a container with its own volumes; its processes are killed.
func (p *provider) Destroy(ctx context.Context, id string) error {
	if !isID(id) {
		return nil // it never was
	}
	p.untidy.Store(true)
	p.letGo(func(b *box) bool { return b.id == id })
	err := p.engine.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) {
		return p.elsewhere(ctx, "destroy sandbox "+id, id)
	}
	return classify("destroy sandbox "+id, err)
}

// tidy removes what no container has any more: volumes of guests, which whoever
// makes a container fills again; this owner's volumes, of a create that the engine
// refused halfway, or of a container that somebody removed without them; images of
// ours without a name (see snapshot).
func (p *provider) tidy(ctx context.Context) error {
	err := errors.Join(p.tidyVolumes(ctx, labelGuest), p.tidyImages(ctx))
	if p.owner == "" {
		return err // whose those are can't be told
	}
	return errors.Join(err, p.tidyVolumes(ctx, p.ownerFilter()))
}

// tidyVolumes removes those with a label. The engine calls none unused that it
// makes for a container.
func (p *provider) tidyVolumes(ctx context.Context, label string) error {
	found, err := p.engine.VolumeList(ctx, volume.ListOptions{
		Filters: filters.NewArgs(filters.Arg("label", label), filters.Arg("dangling", "true")),
	})
	if err != nil {
		return classify("look for unused volumes", err)
	}
	var errs []error
	for _, v := range found.Volumes {
		if err := p.engine.VolumeRemove(ctx, v.Name, false); !taken(err) {
			errs = append(errs, classify("remove the unused volume "+v.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (p *provider) tidyImages(ctx context.Context) error {
	found, err := p.engine.ImageList(ctx, image.ListOptions{
		Filters: filters.NewArgs(filters.Arg("label", labelSnapshot), filters.Arg("label", p.ownerFilter()), filters.Arg("dangling", "true")),
	})
	if err != nil {
		return classify("look for unused images", err)
	}
	var errs []error
	for _, i := range found {
		if _, err := p.engine.ImageRemove(ctx, i.ID, image.RemoveOptions{PruneChildren: true}); !taken(err) {
			errs = append(errs, classify("remove the unused image "+i.ID, err))
		}
	}
	return errors.Join(errs...)
}

// taken reports whether something couldn't be removed as it has a user again, or
// was removed by another.
func taken(err error) bool { return errdefs.IsConflict(err) || errdefs.IsNotFound(err) }
