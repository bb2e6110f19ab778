//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	dockerclient "github.com/docker/docker/client"
	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const dockerImage = "sandlot-test-busybox"

// docker is the world of the rows that need an engine: the docker plugin with a
// container of its own, and the engine's API with one that only that uses.
type docker struct {
	*bench
	owner    string
	provider sandbox.Provider
	proc     *plugins.Process
	box      sandbox.Sandbox
	engine   *dockerclient.Client
	raw      string // id of the raw limit's container
}

// docker is the same work by the plugin and, as the raw limit, by the engine's API.
func (b *bench) docker(ctx context.Context) ([]row, error) {
	d := &docker{bench: b, owner: "bench-" + uuid.NewString()}
	var err error
	if d.engine, err = dockerclient.NewClientWithOpts(dockerclient.FromEnv, dockerclient.WithAPIVersionNegotiation()); err != nil {
		return nil, err
	}
	d.provider, d.proc, err = b.plugins.LaunchProvider(ctx,
		plugins.LaunchOptions{Kind: plugins.Provider, Type: "docker", Environ: os.Environ()},
		plugins.Configure{Config: []byte(`{"image":"` + dockerImage + `","pull":"never"}`), Owner: d.owner})
	if err != nil {
		return nil, err
	}
	b.ends = append(b.ends, d.end)
	var rows []row
	for _, group := range []func() []row{d.lives, d.resumes, d.snapshots, d.commands, d.outputs, d.files} {
		rows = append(rows, group()...)
	}
	line, err := d.line()
	rows = append(rows, line)
	for i := range rows {
		rows[i].name, rows[i].ready = "docker: "+rows[i].name, d.ready
	}
	return rows, err
}

// ready makes the two containers, once. It is only then that there must be an
// engine: other rows need none.
func (d *docker) ready(ctx context.Context) (err error) {
	if d.box != nil && d.raw != "" {
		return nil
	}
	if _, err = d.engine.ImageInspect(ctx, dockerImage); err != nil {
		return fmt.Errorf("%w (make deps installs and starts an engine, make images makes its images)", err)
	}
	if d.box, err = d.provider.Create(ctx, d.request()); err != nil {
		return err
	}
	d.raw, err = d.runDetached(ctx, dockerImage)
	return err
}

// request is of a sandbox whose container nobody else asks for.
func (d *docker) request() sandbox.CreateRequest {
	req := d.bench.request()
	req.Labels.Owner = d.owner
	return req
}

// end removes all that was made, also by rows that failed halfway.
func (d *docker) end() error {
	ctx := context.Background()
	var err error
	if _, none := d.engine.Ping(ctx); none == nil {
		err = errors.Join(d.removeContainers(ctx), d.removeImages(ctx))
	}
	return errors.Join(err, d.proc.Close(), d.engine.Close())
}
