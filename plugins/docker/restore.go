package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Restore makes a container of a snapshot.
func (p *provider) Restore(ctx context.Context, snapshot string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	img, err := p.snapshot(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	return p.create(ctx, img, req)
}

// snapshot finds the image of one of this owner's.
func (p *provider) snapshot(ctx context.Context, id string) (image.InspectResponse, error) {
	none := sandbox.Errorf(sandbox.NotFound, "the Docker engine has no snapshot %.100q of this owner", id)
	if !snapshotID.MatchString(id) {
		return image.InspectResponse{}, none
	}
	img, err := p.engine.ImageInspect(ctx, id)
	if errdefs.IsNotFound(err) {
		return img, cmp.Or(p.elsewhere(ctx, "look for snapshot "+id, id), none)
	}
	if err != nil {
		return img, classify("look for snapshot "+id, err)
	}
	if img.Config == nil || !p.mine(img.Config.Labels) {
		return img, none
	}
	return img, nil
}

func (p *provider) mine(labels map[string]string) bool {
	_, snapshot := labels[labelSnapshot]
	return snapshot && (p.owner == "" || labels[labelOwner] == p.owner)
}

// Snapshots tells of the images that have a name.
func (p *provider) Snapshots(ctx context.Context) ([]sandbox.Snapshot, error) {
	p.untidy.Store(true) // one that wasn't finished is in no list
	found, err := p.engine.ImageList(ctx, image.ListOptions{
		Filters: filters.NewArgs(filters.Arg("label", labelSnapshot), filters.Arg("label", p.ownerFilter()), filters.Arg("dangling", "false")),
	})
	if err != nil {
		return nil, classify("list snapshots", err)
	}
	var list []sandbox.Snapshot
	for _, i := range found {
		named := slices.IndexFunc(i.RepoTags, snapshotID.MatchString)
		if named < 0 {
			continue // somebody keeps the image of one that was deleted
		}
		list = append(list, sandbox.Snapshot{
			ID: i.RepoTags[named], Label: i.Labels[labelSnapshot], Labels: fromLabels(i.Labels),
			Created: time.Unix(i.Created, 0), Size: p.sizeOf(ctx, i.ID),
		})
	}
	return list, nil
}

// DeleteSnapshot takes a snapshot's name from its image. While a container is of
// it, its files stay, and go with that.
func (p *provider) DeleteSnapshot(ctx context.Context, id string) error {
	_, err := p.snapshot(ctx, id)
	if errors.Is(err, sandbox.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	p.untidy.Store(true)
	_, err = p.engine.ImageRemove(ctx, id, image.RemoveOptions{Force: true, PruneChildren: true})
	if err != nil && !errdefs.IsNotFound(err) {
		return classify("delete snapshot "+id, err)
	}
	return nil
}

// Fork makes an image that is in no list, and a container of it.
func (b *box) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	b.provider.untidy.Store(true)
	if found, err := b.provider.named(ctx, req); found != nil || err != nil {
		return found, err
	}
	id, err := b.save(ctx, sandbox.SnapshotRequest{Labels: req.Labels})
	if err != nil {
		return nil, errors.Join(classify("fork sandbox "+b.id, err), b.provider.removeImage(context.WithoutCancel(ctx), id))
	}
	img, err := b.provider.engine.ImageInspect(ctx, id)
	if err == nil {
		var sb sandbox.Sandbox
		if sb, err = b.provider.create(ctx, img, req); err == nil {
			return sb, nil
		}
	}
	return nil, errors.Join(classify("fork sandbox "+b.id, err), b.provider.removeImage(context.WithoutCancel(ctx), id))
}
