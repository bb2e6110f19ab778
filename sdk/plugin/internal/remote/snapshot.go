package remote

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

var (
	_ sandbox.Snapshotter  = (*Provider)(nil)
	_ sandbox.Snapshotable = (*Sandbox)(nil)
	_ sandbox.Forker       = (*Sandbox)(nil)
)

// Snapshot implements sandbox.Snapshotable. Its end is awaited as Create's is.
func (s *Sandbox) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	frame := wire.SnapshotRequest(s.id, req)
	done, err := made(ctx, s.Conn, making[pb.SnapshotRequest, pb.SnapshotResponse]{
		doing: "snapshot sandbox", limit: s.Timeouts.Snapshot, open: s.rpc.Snapshot,
		begin:  &pb.SnapshotRequest{Frame: &pb.SnapshotRequest_Snapshot{Snapshot: frame}},
		cancel: &pb.SnapshotRequest{Frame: &pb.SnapshotRequest_Cancel{Cancel: &pb.TakeBack{}}},
	}, req.Progress, func(m *pb.SnapshotResponse) step[pb.SnapshotInfo] { return m })
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	return wire.FromSnapshot(done), nil
}

// Fork implements sandbox.Forker.
func (s *Sandbox) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	frame := wire.CreateRequest(req)
	frame.From = &pb.CreateSandbox_Sandbox{Sandbox: wire.Text(s.id)}
	return s.provider.create(ctx, "fork sandbox", s.Timeouts.Snapshot, frame, req.Progress)
}

// Restore implements sandbox.Snapshotter.
func (p *Provider) Restore(ctx context.Context, snapshot string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	frame := wire.CreateRequest(req)
	frame.From = &pb.CreateSandbox_Snapshot{Snapshot: wire.Text(snapshot)}
	return p.create(ctx, "restore snapshot", p.Timeouts.Create, frame, req.Progress)
}

// Snapshots implements sandbox.Snapshotter.
func (p *Provider) Snapshots(ctx context.Context) ([]sandbox.Snapshot, error) {
	r, err := unary(ctx, p.Conn, p.Timeouts.Unary, "list snapshots", func(ctx context.Context) (*pb.SnapshotsResponse, error) {
		return p.rpc.Snapshots(ctx, &pb.SnapshotsRequest{})
	})
	return wire.FromSnapshots(r.GetSnapshots()), err
}

// DeleteSnapshot implements sandbox.Snapshotter.
func (p *Provider) DeleteSnapshot(ctx context.Context, id string) error {
	_, err := unary(ctx, p.Conn, p.Timeouts.Destroy, "delete snapshot", func(ctx context.Context) (*pb.DeleteSnapshotResponse, error) {
		return p.rpc.DeleteSnapshot(ctx, &pb.DeleteSnapshotRequest{Id: wire.Text(id)})
	})
	return err
}
