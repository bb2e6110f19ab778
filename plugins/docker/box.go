package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/containerd/errdefs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// box is one container.
type box struct {
	id       string
	info     sandbox.Info
	provider *provider
	link     *link

	mu     sync.Mutex
	others map[string]*link // of other users than the container's
}

// ID is the container's name.
func (b *box) ID() string { return b.id }

// Info is what the guest said when the box was opened.
func (b *box) Info() sandbox.Info { return b.info }

// Start runs a command by the guest of its user.
func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	sb, err := b.as(ctx, cmd)
	if err != nil {
		return nil, err
	}
	cmd.User = ""
	return sb.Start(ctx, cmd)
}

// pausePatience is how long a kill waits for a snapshot to let the processes go on.
const pausePatience = 5 * time.Second

// Kill ends a tree by its guest. With a container all its processes have ended; in
// one that is paused they are to go on, so that they can.
func (b *box) Kill(ctx context.Context, proc string, grace time.Duration) error {
	for begin := time.Now(); ; {
		c, err := b.provider.engine.ContainerInspect(ctx, b.id)
		if err != nil {
			return b.because(ctx, err)
		}
		if !c.State.Running {
			return nil
		}
		if !c.State.Paused {
			break
		}
		if time.Since(begin) > pausePatience {
			if err := b.provider.engine.ContainerUnpause(ctx, b.id); err != nil && !errdefs.IsConflict(err) {
				return classify("kill "+proc, err)
			}
			continue
		}
		select {
		case <-ctx.Done():
			return classify("kill "+proc, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	guests, err := b.guests(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, sb := range guests {
		errs = append(errs, sb.Kill(ctx, proc, grace))
	}
	return errors.Join(errs...)
}

// Alive asks the guest. In a container that has ended nothing is.
func (b *box) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	guests, err := b.guests(ctx)
	if errors.Is(err, errStopped) {
		return sandbox.AliveNo, nil
	}
	if err != nil {
		return sandbox.AliveUnknown, err
	}
	for _, sb := range guests {
		if alive, err := sb.Alive(ctx, proc); err != nil || alive != sandbox.AliveNo {
			return alive, err
		}
	}
	return sandbox.AliveNo, nil
}

// guests are all: first that of the container's user.
func (b *box) guests(ctx context.Context) ([]sandbox.Sandbox, error) {
	sb, err := b.guest(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := b.rest(ctx)
	if err != nil {
		return nil, b.because(ctx, err)
	}
	return append([]sandbox.Sandbox{sb}, rest...), nil
}

func (b *box) close() {
	b.link.close()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.others {
		l.close()
	}
}

// guest connects to what runs in the container; an error says what the container
// has to do with it.
func (b *box) guest(ctx context.Context) (sandbox.Sandbox, error) {
	sb, err := b.link.sandbox(ctx)
	if err != nil {
		return nil, b.because(ctx, err)
	}
	return sb, nil
}

// errStopped is the cause of what can't be done as the container has ended.
var errStopped = errors.New("the container doesn't run")

// because tells an error by the state of the container, where that is why.
func (b *box) because(ctx context.Context, err error) error {
	c, inspectErr := b.provider.engine.ContainerInspect(ctx, b.id)
	switch {
	case errdefs.IsNotFound(inspectErr):
		return sandbox.Errorf(sandbox.Gone, "sandbox %s: the engine has no such container any more", b.id)
	case inspectErr != nil || c.State.Running && !c.State.Paused:
		return classify("sandbox "+b.id, err)
	case c.State.Paused:
		return sandbox.Errorf(sandbox.Unavailable, "sandbox %s: the container is paused", b.id)
	}
	return &sandbox.Error{
		Class: sandbox.Unavailable, Provider: "docker", Cause: errStopped,
		Message: "sandbox " + b.id + ": the container doesn't run: " + was(c), Hint: "its next use starts it again",
	}
}
