package main

import (
	"context"
	"errors"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const stateFolder = "/var/lib/sandlot" // in the container: an own volume, which no snapshot has

// Create makes a container and starts it. One of the same name is the same key's:
// it was made by a call whose answer was lost, or by another that came first.
func (p *provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	img, err := p.find(ctx, req.Progress)
	if err != nil {
		return nil, err
	}
	return p.create(ctx, img, req)
}

// create is Create of an image that is there.
func (p *provider) create(ctx context.Context, img image.InspectResponse, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if err := p.config.allows(req.Network); err != nil {
		return nil, err
	}
	g, err := p.guests(img.Os + "/" + img.Architecture)
	if err != nil {
		return nil, err
	}
	if err := p.provide(ctx, g); err != nil {
		return nil, err
	}
	host := p.config.host(g.volume, req.Labels)
	isolate(host, req.Network)
	id, err := p.nameFor(ctx, req.Key)
	if err != nil {
		return nil, err
	}
	found, err := p.make(ctx, p.config.container(img.ID, labelsOf(req.Labels)), host, id)
	if err != nil {
		return nil, classify("create container", err)
	}
	var sb *box
	if err = p.equip(ctx, id, img.ID, g); err == nil {
		sb, err = p.begin(ctx, id, req.Env, req.Network)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		return sb, nil
	}
	if found {
		return nil, err // it is not this call's to take back
	}
	return nil, errors.Join(err, p.Destroy(context.WithoutCancel(ctx), id))
}

// begin opens a container that was just made.
func (p *provider) begin(ctx context.Context, id string, env map[string]string, n sandbox.Network) (*box, error) {
	if err := p.prepare(ctx, id); err != nil {
		return nil, err
	}
	if err := p.engine.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return nil, classify("start container", err)
	}
	return p.open(ctx, id, env, n)
}

// make makes a container of a name, or finds the one that has it. A name that is
// taken by a container that can't be seen belongs to one that is being made or
// removed at this moment.
func (p *provider) make(ctx context.Context, c *container.Config, h *container.HostConfig, name string) (found bool, err error) {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		_, err := p.createContainer(ctx, c, h, name)
		if err == nil || !errdefs.IsConflict(err) || wait > 5*time.Second {
			return false, err
		}
		_, inspectErr := p.engine.ContainerInspect(ctx, name)
		if inspectErr == nil {
			return true, nil
		}
		if !errdefs.IsNotFound(inspectErr) {
			return false, inspectErr
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// afterCancel is how long the answer to a create that nobody wants any more is
// awaited.
const afterCancel = 30 * time.Second

// outlasting is for a call that the engine finishes also when nobody listens any
// more: its answer is awaited when ctx has ended, as what was made must be known to
// be removed.
func outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(afterCancel, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

func (p *provider) createContainer(ctx context.Context, c *container.Config, h *container.HostConfig, name string) (container.CreateResponse, error) {
	ctx, cancel := outlasting(ctx)
	defer cancel()
	made, err := p.engine.ContainerCreate(ctx, c, h, nil, nil, name)
	if err != nil {
		p.untidy.Store(true) // the engine may have made a volume before
	}
	return made, err
}

// aside makes a container that is never started, to look into an image or to write
// to volumes by. If it stays, it is found by its labels. Its name may be empty.
func (p *provider) aside(ctx context.Context, name, image string, labels map[string]string, h *container.HostConfig) (id string, remove func(), err error) {
	made, err := p.createContainer(ctx, &container.Config{Image: image, Cmd: []string{"never-started"}, Labels: labels}, h, name)
	return made.ID, func() {
		_ = p.engine.ContainerRemove(context.WithoutCancel(ctx), made.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
	}, err
}

// open starts the guest of a container that runs.
func (p *provider) open(ctx context.Context, id string, env map[string]string, n sandbox.Network) (*box, error) {
	if err := p.cut(ctx, id, n); err != nil {
		return nil, err
	}
	b := &box{id: id, provider: p, link: newLink(p.engine, id, p.guestCall(), env)}
	sb, err := b.link.sandbox(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.holds(ctx, sb, n); err != nil {
		b.link.close()
		return nil, err
	}
	b.info = sb.Info()
	b.info.Isolation, b.info.HostAddress = sandbox.IsolationContainer, ""
	if p.config.HostAccess && !n.Deny {
		b.info.HostAddress = hostName
	}
	b.info.Capabilities = capabilities()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.boxes = append(p.boxes, b)
	return b, nil
}

func (p *provider) guestCall() []string {
	return []string{guestProgram, "serve", p.config.Workdir, stateFolder}
}

// named finds the container of a key, if there is one.
func (p *provider) named(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	id, err := p.nameFor(ctx, req.Key)
	if err != nil {
		return nil, err
	}
	_, err = p.engine.ContainerInspect(ctx, id)
	if errdefs.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, classify("look for the container", err)
	}
	return p.Resume(ctx, sandbox.ResumeRequest{ID: id, Env: req.Env, Network: req.Network})
}
