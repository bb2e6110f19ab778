package main

import (
	"context"
	"errors"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const equipping = "put the guest into its volume"

func guestMount(volume string) mount.Mount {
	return mount.Mount{Type: mount.TypeVolume, Source: volume, Target: guestFolder, ReadOnly: true}
}

// provide makes the volume that holds a guest, unless there is one. What is in it is
// looked at where a container has it, since none can be removed from then on.
func (p *provider) provide(ctx context.Context, g filling) error {
	_, err := p.engine.VolumeCreate(ctx, volume.CreateOptions{Name: g.volume, Labels: map[string]string{labelGuest: version}})
	return classify("make the guest's volume", err)
}

// fillPatience is how long somebody may take to fill a volume before they are taken
// for dead. It takes a second.
const fillPatience = 15 * time.Second

// equip has the guest whole in a container's volume, before the container is
// started: nobody may have filled it yet, or was ended on the way. Who fills it has
// the filler's name meanwhile, so that nobody else does: a container that starts at
// that moment would find half a guest.
func (p *provider) equip(ctx context.Context, id, image string, g filling) error {
	for since := time.Now(); ; {
		whole, err := p.whole(ctx, id, g)
		if whole || err != nil {
			return classify(equipping, err)
		}
		err = p.fill(ctx, image, g)
		if !errdefs.IsConflict(err) {
			if err == nil {
				whole, err = p.whole(ctx, id, g)
			}
			if err == nil && !whole {
				err = errors.New("the engine doesn't have it whole after that")
			}
			return classify(equipping, err)
		}
		if time.Since(since) > fillPatience {
			since = time.Now()
			err := p.engine.ContainerRemove(ctx, filler(g), container.RemoveOptions{Force: true, RemoveVolumes: true})
			if err != nil && !taken(err) {
				return classify(equipping, err)
			}
		}
		select {
		case <-ctx.Done():
			return classify(equipping, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// whole reports whether a container's volume has the guest, all of it and executable.
func (p *provider) whole(ctx context.Context, id string, g filling) (bool, error) {
	st, err := p.engine.ContainerStatPath(ctx, id, guestProgram)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil && st.Size == g.size && st.Mode.IsRegular() && st.Mode.Perm() == guestMode, err
}

const guestMode = 0o755

func filler(g filling) string { return g.volume + "-filler" }

// fill puts the guest into its volume, by a container that is never started, unless
// it is whole by now. Where somebody else does, it is a conflict.
func (p *provider) fill(ctx context.Context, image string, g filling) error {
	aside, remove, err := p.aside(ctx, filler(g), image, labelsOf(sandbox.Labels{Owner: p.owner}),
		&container.HostConfig{Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: g.volume, Target: guestFolder}}})
	if err != nil {
		return err
	}
	defer remove()
	if whole, err := p.whole(ctx, aside, g); whole || err != nil {
		return err
	}
	packed, err := g.pack()
	if err != nil {
		return err
	}
	return p.engine.CopyToContainer(ctx, aside, guestFolder, packed, container.CopyToContainerOptions{})
}
