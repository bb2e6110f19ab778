package server

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Create serves the call, and with it Restore and Fork. A cancel reaches the
// provider's context; whatever it answers then is delivered, so nothing is made
// that the host doesn't know of.
func (s *Provider) Create(stream grpc.BidiStreamingServer[pb.CreateRequest, pb.CreateResponse]) error {
	boxes, err := s.opened()
	if err != nil {
		return s.fail(err, "")
	}
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	create := first.GetCreate()
	if create == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "create sandbox: the first frame is %T", first.GetFrame()), "")
	}
	req := wire.FromCreateRequest(create)
	if err := req.Check(boxes.provider.Capabilities()); err != nil {
		return s.fail(err, "")
	}
	ctx, end := s.making(stream.Context(), func() (canceler, error) { return stream.Recv() })
	defer end()
	var sending progress
	defer sending.stop()
	req.Progress = sending.report(func(p *pb.Progress) error {
		return stream.Send(&pb.CreateResponse{Message: &pb.CreateResponse_Progress{Progress: p}})
	})
	sb, err := s.create(ctx, boxes, create, req)
	if err != nil {
		return s.fail(err, create.GetSandbox())
	}
	boxes.put(sb)
	sending.stop()
	return stream.Send(&pb.CreateResponse{
		Message: &pb.CreateResponse_Done{Done: wire.Info(sb.ID(), boxes.info(sb))},
	})
}

// create makes a sandbox of what the frame says.
func (s *Provider) create(ctx context.Context, boxes *sandboxes, frame *pb.CreateSandbox, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	switch from := frame.GetFrom().(type) {
	case *pb.CreateSandbox_Snapshot:
		p, err := s.snapshotter(boxes)
		if err != nil {
			return nil, err
		}
		if from.Snapshot == "" {
			return nil, sandbox.Errorf(sandbox.Invalid, "restore snapshot: the id is empty")
		}
		return p.Restore(ctx, from.Snapshot, req)
	case *pb.CreateSandbox_Sandbox:
		source, err := boxes.get(ctx, from.Sandbox)
		if err != nil {
			return nil, err
		}
		f, err := optional[sandbox.Forker](s, source, "fork")
		if err != nil {
			return nil, err
		}
		return f.Fork(ctx, req)
	}
	return boxes.provider.Create(ctx, req)
}

// canceler is a frame that may ask to take back what was made.
type canceler interface{ GetCancel() *pb.TakeBack }

// making notes a call that makes something, as one that a list may have to wait
// for. Its context ends with a cancel, too.
func (s *Provider) making(ctx context.Context, recv func() (canceler, error)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() { // until the answer has ended the stream
		if canceled(recv) {
			cancel()
		}
	}()
	settled := s.makings.begin(ctx)
	return ctx, func() {
		settled()
		cancel()
	}
}

// canceled waits for a cancel, or for the end of the stream.
func canceled(recv func() (canceler, error)) bool {
	for {
		m, err := recv()
		if err != nil {
			return !errors.Is(err, io.EOF) // the host has no more to say, or has gone
		}
		if m.GetCancel() != nil {
			return true
		}
	}
}

// Resume serves the call.
func (s *Provider) Resume(r *pb.ResumeRequest, stream grpc.ServerStreamingServer[pb.ResumeResponse]) error {
	boxes, err := s.opened()
	if err != nil {
		return s.fail(err, "")
	}
	req := wire.FromResumeRequest(r)
	if err := req.Check(boxes.provider.Capabilities()); err != nil {
		return s.fail(err, r.GetId())
	}
	var sending progress
	defer sending.stop()
	req.Progress = sending.report(func(p *pb.Progress) error {
		return stream.Send(&pb.ResumeResponse{Message: &pb.ResumeResponse_Progress{Progress: p}})
	})
	sb, err := boxes.provider.Resume(stream.Context(), req)
	if err != nil {
		return s.fail(err, r.GetId())
	}
	boxes.put(sb)
	sending.stop()
	return stream.Send(&pb.ResumeResponse{
		Message: &pb.ResumeResponse_Done{Done: wire.Info(sb.ID(), boxes.info(sb))},
	})
}

// Destroy serves the call.
func (s *Provider) Destroy(ctx context.Context, r *pb.DestroyRequest) (*pb.DestroyResponse, error) {
	boxes, err := s.opened()
	if err == nil {
		err = boxes.provider.Destroy(ctx, r.GetId())
	}
	if err != nil {
		return nil, s.fail(err, r.GetId())
	}
	boxes.forget(r.GetId())
	return &pb.DestroyResponse{}, nil
}

// List serves the call.
func (s *Provider) List(ctx context.Context, _ *pb.ListRequest) (*pb.ListResponse, error) {
	boxes, err := s.opened()
	if err != nil {
		return nil, s.fail(err, "")
	}
	if err := s.makings.settle(ctx); err != nil {
		return nil, s.fail(err, "")
	}
	list, err := boxes.provider.List(ctx)
	if err != nil {
		return nil, s.fail(err, "")
	}
	return &pb.ListResponse{Sandboxes: wire.Summaries(list)}, nil
}
