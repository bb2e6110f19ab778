//go:build linux

package main

import (
	"context"
	"errors"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// snapshots are what is made of a container's files.
func (d *docker) snapshots() []row {
	return []row{
		{
			name: "snapshot", unit: "ms", goal: asFast(1.25),
			raw: making(d.commit, d.removeImage), ours: making(d.snapshot, d.deleteSnapshot),
		},
		{
			name: "restore", unit: "ms", goal: asFast(1.25),
			raw: timedOf(d.commit, func(ctx context.Context, id string) error {
				_, err := d.runDetached(ctx, id)
				return err
			}, d.removeAll),
			ours: timedOf(d.snapshot, func(ctx context.Context, id string) error {
				keeper, err := sandbox.AsProvider[sandbox.Snapshotter](d.provider)
				if err != nil {
					return err
				}
				_, err = keeper.Restore(ctx, id, d.request())
				return err
			}, d.removeAll),
		},
		{
			name: "fork", unit: "ms", goal: asFast(1.25),
			raw: making(func(ctx context.Context) (string, error) {
				id, err := d.commit(ctx)
				if err == nil {
					_, err = d.runDetached(ctx, id)
				}
				return id, err
			}, d.removeAll),
			ours: making(func(ctx context.Context) (string, error) {
				source, err := sandbox.As[sandbox.Forker](d.box)
				if err != nil {
					return "", err
				}
				_, err = source.Fork(ctx, d.request())
				return "", err
			}, d.removeAll),
		},
	}
}

func (d *docker) snapshot(ctx context.Context) (string, error) {
	source, err := sandbox.As[sandbox.Snapshotable](d.box)
	if err != nil {
		return "", err
	}
	made, err := source.Snapshot(ctx, sandbox.SnapshotRequest{Labels: sandbox.Labels{Owner: d.owner}})
	return made.ID, err
}

func (d *docker) deleteSnapshot(ctx context.Context, id string) error {
	keeper, err := sandbox.AsProvider[sandbox.Snapshotter](d.provider)
	if err != nil {
		return err
	}
	return keeper.DeleteSnapshot(ctx, id)
}

// removeAll removes all containers but the two that stay, and all images.
func (d *docker) removeAll(ctx context.Context, _ string) error {
	return errors.Join(d.removeContainers(ctx, d.raw, d.box.ID()), d.removeImages(ctx))
}
