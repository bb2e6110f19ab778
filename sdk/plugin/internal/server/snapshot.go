package server

import (
	"context"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Snapshot serves the call, as Create does.
func (s *Provider) Snapshot(stream grpc.BidiStreamingServer[pb.SnapshotRequest, pb.SnapshotResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if first.GetSnapshot() == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "snapshot sandbox: the first frame is %T", first.GetFrame()), "")
	}
	id, req := wire.FromSnapshotRequest(first.GetSnapshot())
	ctx, end := s.making(stream.Context(), func() (canceler, error) { return stream.Recv() })
	defer end()
	var sending progress
	defer sending.stop()
	req.Progress = sending.report(func(p *pb.Progress) error {
		return stream.Send(&pb.SnapshotResponse{Message: &pb.SnapshotResponse_Progress{Progress: p}})
	})
	snap, err := s.snapshot(ctx, id, req)
	if err != nil {
		return s.fail(err, id)
	}
	sending.stop()
	return stream.Send(&pb.SnapshotResponse{Message: &pb.SnapshotResponse_Done{Done: wire.Snapshot(snap)}})
}

func (s *Provider) snapshot(ctx context.Context, id string, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	if err := req.Check(); err != nil {
		return sandbox.Snapshot{}, err
	}
	sb, err := s.sandbox(ctx, id)
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	source, err := optional[sandbox.Snapshotable](s, sb, "snapshots")
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	return source.Snapshot(ctx, req)
}

func (s *Provider) snapshotter(boxes *sandboxes) (sandbox.Snapshotter, error) {
	p, ok := boxes.provider.(sandbox.Snapshotter)
	if !ok {
		return nil, s.unsupported("snapshots")
	}
	return p, nil
}

// Snapshots serves the call.
func (s *Provider) Snapshots(ctx context.Context, _ *pb.SnapshotsRequest) (*pb.SnapshotsResponse, error) {
	list, err := s.snapshots(ctx)
	if err != nil {
		return nil, s.fail(err, "")
	}
	return &pb.SnapshotsResponse{Snapshots: wire.Snapshots(list)}, nil
}

func (s *Provider) snapshots(ctx context.Context) ([]sandbox.Snapshot, error) {
	boxes, err := s.opened()
	if err != nil {
		return nil, err
	}
	p, err := s.snapshotter(boxes)
	if err != nil {
		return nil, err
	}
	if err := s.makings.settle(ctx); err != nil {
		return nil, err
	}
	return p.Snapshots(ctx)
}

// DeleteSnapshot serves the call.
func (s *Provider) DeleteSnapshot(ctx context.Context, r *pb.DeleteSnapshotRequest) (*pb.DeleteSnapshotResponse, error) {
	boxes, err := s.opened()
	if err != nil {
		return nil, s.fail(err, "")
	}
	p, err := s.snapshotter(boxes)
	if err == nil && r.GetId() == "" {
		err = sandbox.Errorf(sandbox.Invalid, "delete snapshot: the id is empty")
	}
	if err == nil {
		err = p.DeleteSnapshot(ctx, r.GetId())
	}
	if err != nil {
		return nil, s.fail(err, "")
	}
	return &pb.DeleteSnapshotResponse{}, nil
}
