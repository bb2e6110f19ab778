package recovery

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

var (
	_ sandbox.Snapshotter  = (*Provider)(nil)
	_ sandbox.Snapshotable = (*box)(nil)
	_ sandbox.Forker       = (*box)(nil)
)

// Snapshot implements sandbox.Snapshotable. Nothing tells one of a plugin that
// died from another: it isn't made twice.
func (b *box) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	var by *life
	snap, err := inAs(ctx, b, false, func(l *life, sb sandbox.Snapshotable) (sandbox.Snapshot, error) {
		by = l
		return sb.Snapshot(ctx, req)
	})
	if by != nil && lost(by, err) {
		err = sandbox.Errorf(sandbox.Unavailable, "%w; there may be a snapshot of it", err)
	}
	return snap, err
}

// Fork implements sandbox.Forker. Its key tells the copy of a plugin that died.
func (b *box) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return inAs(ctx, b, req.Key != "", func(l *life, sb sandbox.Forker) (sandbox.Sandbox, error) {
		return b.provider.made(l, req)(sb.Fork(ctx, req))
	})
}

// Restore implements sandbox.Snapshotter.
func (p *Provider) Restore(ctx context.Context, snapshot string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return trySnapshots(ctx, p, req.Key != "", func(l *life, s sandbox.Snapshotter) (sandbox.Sandbox, error) {
		return p.made(l, req)(s.Restore(ctx, snapshot, req))
	})
}

// Snapshots implements sandbox.Snapshotter.
func (p *Provider) Snapshots(ctx context.Context) ([]sandbox.Snapshot, error) {
	return trySnapshots(ctx, p, true, func(_ *life, s sandbox.Snapshotter) ([]sandbox.Snapshot, error) { return s.Snapshots(ctx) })
}

// DeleteSnapshot implements sandbox.Snapshotter.
func (p *Provider) DeleteSnapshot(ctx context.Context, id string) error {
	_, err := trySnapshots(ctx, p, true, func(_ *life, s sandbox.Snapshotter) (struct{}, error) {
		return struct{}{}, s.DeleteSnapshot(ctx, id)
	})
	return err
}

func trySnapshots[R any](ctx context.Context, p *Provider, again bool, call func(*life, sandbox.Snapshotter) (R, error)) (R, error) {
	return try(ctx, p, again, func(l *life) (R, error) {
		s, err := sandbox.AsProvider[sandbox.Snapshotter](l.Running)
		if err != nil {
			var none R
			return none, err
		}
		return call(l, s)
	})
}
