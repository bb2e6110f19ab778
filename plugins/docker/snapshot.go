package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A snapshot is an image that the engine made of a container. It has a name as
// soon as it is known to be whole; one without is unfinished, is a fork's, or was
// deleted while a container still is of it, and goes with its last container.

// settleFolder is where a container has the file that is written last before its
// files are kept: an image that has it has all that was written before.
const settleFolder = "/.sandlot"

// Snapshot makes an image of the container. Its processes stand still meanwhile.
func (b *box) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	doing := "snapshot of sandbox " + b.id
	image, err := b.save(ctx, req)
	var id string
	if err == nil {
		id, err = b.provider.snapshotFor(ctx, image)
	}
	if err == nil {
		err = b.provider.engine.ImageTag(ctx, image, id)
	}
	if err != nil {
		return sandbox.Snapshot{}, errors.Join(classify(doing, err), b.provider.removeImage(context.WithoutCancel(ctx), image))
	}
	size := b.provider.sizeOf(ctx, image)
	return sandbox.Snapshot{ID: id, Label: req.Label, Labels: req.Labels, Created: time.Now(), Size: size}, nil
}

// save makes an image without a name, and looks whether it is whole. The id is
// that of what was made, also with an error.
func (b *box) save(ctx context.Context, req sandbox.SnapshotRequest) (string, error) {
	if err := b.savable(ctx); err != nil {
		return "", err
	}
	token := uuid.NewString()
	release, err := b.settle(ctx, token)
	if err != nil {
		return "", err
	}
	defer release()
	labels := labelsOf(req.Labels)
	labels[labelSnapshot] = req.Label
	longer, cancel := outlasting(ctx)
	made, err := b.provider.engine.ContainerCommit(longer, b.id, container.CommitOptions{Pause: true, Config: &container.Config{Labels: labels}})
	cancel()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = b.provider.verify(ctx, made.ID, token, req.Labels)
	}
	return made.ID, err
}

// savable refuses a container whose files the engine wouldn't keep.
func (b *box) savable(ctx context.Context) error {
	c, err := b.provider.engine.ContainerInspect(ctx, b.id)
	if err != nil {
		return err
	}
	for _, m := range c.Mounts {
		for _, kept := range []string{b.info.Root, b.info.Home} {
			if under(kept, m.Destination) {
				return &sandbox.Error{
					Class: sandbox.Unsupported, Provider: "docker", Capability: "snapshots",
					Message: fmt.Sprintf("no snapshot can have %s: it is on the mount or volume %s, and images have none of those", kept, m.Destination),
					Hint:    "set workdir to a folder outside of every mount and VOLUME, and leave read_only out",
				}
			}
		}
	}
	if !c.State.Running {
		return sandbox.Errorf(sandbox.Unavailable, "the container doesn't run: %s", was(c))
	}
	return nil
}

// settle has the container's files written out and the token last. Until release is
// called, or this process ends, nobody else's settle of the container gets on: so
// there is one snapshot at a time, whichever plugin process makes it.
func (b *box) settle(ctx context.Context, token string) (release func(), err error) {
	hold, letGo := io.Pipe()
	said, out := io.Pipe()
	var problem bytes.Buffer
	p, err := b.Start(ctx, sandbox.Command{
		ID: "settle-" + token, Argv: []string{guestProgram, "settle", settleFolder, token}, Dir: "/",
		Stdin: hold, Stdout: out, Stderr: &problem, MaxOutput: 64 << 10,
	})
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := p.Wait(context.WithoutCancel(ctx))
		_ = out.CloseWithError(cmp.Or(err, io.EOF))
	}()
	release = func() {
		_ = letGo.Close()
		_ = p.Close()
		<-ended
	}
	if _, err = io.ReadFull(said, make([]byte, len("settled\n"))); err != nil {
		release()
		return nil, fmt.Errorf("write out the files: %w", cmp.Or(ctx.Err(), errorOf(problem.String()), err))
	}
	return release, nil
}

func errorOf(text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return errors.New(text)
}

// verify looks for the canary in an image, by a container that is never started.
func (p *provider) verify(ctx context.Context, id, token string, labels sandbox.Labels) error {
	aside, remove, err := p.aside(ctx, "", id, labelsOf(labels), &container.HostConfig{})
	if err != nil {
		return err
	}
	defer remove()
	_, err = p.engine.ContainerStatPath(ctx, aside, settleFolder+"/"+token)
	if errdefs.IsNotFound(err) { // whose words are of the API
		return errors.New("the image that the engine made lacks what was written last")
	}
	return err
}

// sizeOf is that of an image's last layer; -1 where the engine doesn't say.
func (p *provider) sizeOf(ctx context.Context, id string) int64 {
	layers, err := p.engine.ImageHistory(ctx, id)
	if err != nil || len(layers) == 0 {
		return -1
	}
	return layers[0].Size
}

// removeImage removes an image that no container is of yet.
func (p *provider) removeImage(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	if _, err := p.engine.ImageRemove(ctx, id, image.RemoveOptions{Force: true, PruneChildren: true}); !taken(err) {
		return classify("remove the image "+id, err)
	}
	return nil
}
