//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/stdcopy"
)

// ownerLabel is the plugin's: whatever has it with our owner is removed at the end.
const ownerLabel = "dev.sandlot.owner"

func (d *docker) labels() map[string]string { return map[string]string{ownerLabel: d.owner} }

func (d *docker) own() filters.Args {
	return filters.NewArgs(filters.Arg("label", ownerLabel+"="+d.owner))
}

// runDetached is `docker run --detach --init` of something that does nothing.
func (d *docker) runDetached(ctx context.Context, image string) (string, error) {
	initFirst := true
	made, err := d.engine.ContainerCreate(ctx,
		&container.Config{Image: image, Cmd: []string{"sleep", "100000"}, Labels: d.labels()},
		&container.HostConfig{Init: &initFirst}, nil, nil, "")
	if err != nil {
		return "", err
	}
	return made.ID, d.start(ctx, made.ID)
}

func (d *docker) start(ctx context.Context, id string) error {
	return d.engine.ContainerStart(ctx, id, container.StartOptions{})
}

// stop ends the container at once.
func (d *docker) stop(ctx context.Context, id string) error {
	now := 0
	return d.engine.ContainerStop(ctx, id, container.StopOptions{Timeout: &now})
}

func (d *docker) remove(ctx context.Context, id string) error {
	return d.engine.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
}

// lostAfter is how long a stream is silent that the engine will never end. It loses
// one of some hundred execs where 16 are made at once (20.10).
const lostAfter = 20 * time.Second

// exec is `docker exec`, its output to stdout, and what it ended with.
func (d *docker) exec(ctx context.Context, id string, stdout io.Writer, argv ...string) error {
	made, err := d.engine.ContainerExecCreate(ctx, id, container.ExecOptions{AttachStdout: true, AttachStderr: true, Cmd: argv})
	if err != nil {
		return err
	}
	stream, err := d.engine.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return err
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, stream.Close)() // its reads know no context
	lost := time.AfterFunc(lostAfter, stream.Close)
	_, err = stdcopy.StdCopy(&renewing{stdout, lost}, io.Discard, stream.Reader)
	if err := ctx.Err(); err != nil {
		return err
	}
	if !lost.Stop() {
		return errLost
	}
	if err != nil {
		return err
	}
	ended, err := d.engine.ContainerExecInspect(ctx, made.ID)
	if err == nil && ended.ExitCode != 0 {
		err = fmt.Errorf("%q: exit code %d", argv, ended.ExitCode)
	}
	return err
}

// renewing sets a timer back at each write.
type renewing struct {
	io.Writer
	timer *time.Timer
}

func (r *renewing) Write(p []byte) (int, error) {
	r.timer.Reset(lostAfter)
	return r.Writer.Write(p)
}

// removeContainers removes all of ours but those that are to stay.
func (d *docker) removeContainers(ctx context.Context, but ...string) error {
	found, err := d.engine.ContainerList(ctx, container.ListOptions{All: true, Filters: d.own()})
	errs := []error{err}
	for _, c := range found {
		if !slices.ContainsFunc(but, func(id string) bool { return c.ID == id || slices.Contains(c.Names, "/"+id) }) {
			errs = append(errs, d.remove(ctx, c.ID))
		}
	}
	return errors.Join(errs...)
}

// removeImages removes all that were made of our containers.
func (d *docker) removeImages(ctx context.Context) error {
	found, err := d.engine.ImageList(ctx, image.ListOptions{Filters: d.own()})
	errs := []error{err}
	for _, i := range found {
		errs = append(errs, d.removeImage(ctx, i.ID))
	}
	return errors.Join(errs...)
}

func (d *docker) removeImage(ctx context.Context, id string) error {
	_, err := d.engine.ImageRemove(ctx, id, image.RemoveOptions{Force: true, PruneChildren: true})
	return err
}

// commit is `sync` and `docker commit`.
func (d *docker) commit(ctx context.Context) (string, error) {
	if err := d.exec(ctx, d.raw, io.Discard, "sync"); err != nil {
		return "", err
	}
	made, err := d.engine.ContainerCommit(ctx, d.raw, container.CommitOptions{Pause: true, Config: &container.Config{Labels: d.labels()}})
	return made.ID, err
}

// put and get are `docker cp` of one file.
func (d *docker) put(ctx context.Context, name string, data []byte) error {
	r, w := io.Pipe()
	go func() {
		t := tar.NewWriter(w)
		err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = io.Copy(t, bytes.NewReader(data))
		}
		if err == nil {
			err = t.Close()
		}
		_ = w.CloseWithError(err)
	}()
	return d.engine.CopyToContainer(ctx, d.raw, "/tmp", r, container.CopyToContainerOptions{})
}

func (d *docker) get(ctx context.Context, name string, size int) error {
	stream, _, err := d.engine.CopyFromContainer(ctx, d.raw, "/tmp/"+name)
	if err != nil {
		return err
	}
	defer stream.Close()
	t := tar.NewReader(stream)
	if _, err := t.Next(); err != nil {
		return err
	}
	_, err = io.ReadFull(t, make([]byte, size))
	return err
}
