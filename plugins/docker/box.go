package main

import (
	"context"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// box is one container.
type box struct {
	id       string
	info     sandbox.Info
	provider *provider
	link     *link
}

// ID is the container's.
func (b *box) ID() string { return b.id }

// Info is what the guest said when the box was opened.
func (b *box) Info() sandbox.Info { return b.info }

// Start runs a command by the guest.
func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	sb, err := b.link.sandbox(ctx)
	if err != nil {
		return nil, err
	}
	return sb.Start(ctx, cmd)
}

// Kill ends a tree by the guest.
func (b *box) Kill(ctx context.Context, proc string, grace time.Duration) error {
	sb, err := b.link.sandbox(ctx)
	if err != nil {
		return err
	}
	return sb.Kill(ctx, proc, grace)
}

// Alive asks the guest.
func (b *box) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	sb, err := b.link.sandbox(ctx)
	if err != nil {
		return sandbox.AliveUnknown, err
	}
	return sb.Alive(ctx, proc)
}
