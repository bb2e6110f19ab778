package server

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Create serves the call. A cancel reaches the provider's context; whatever it
// answers then is delivered, so nothing is made that the host doesn't know of.
func (s *Provider) Create(stream grpc.BidiStreamingServer[pb.CreateRequest, pb.CreateResponse]) error {
	boxes, err := s.opened()
	if err != nil {
		return s.fail(err, "")
	}
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if first.GetCreate() == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "create sandbox: the first frame is %T", first.GetFrame()), "")
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	go func() { // until the answer has ended the stream
		if canceled(stream) {
			cancel()
		}
	}()
	req := wire.FromCreateRequest(first.GetCreate())
	if err := req.Check(boxes.provider.Capabilities()); err != nil {
		return s.fail(err, "")
	}
	var sending progress
	defer sending.stop()
	req.Progress = sending.report(func(p *pb.Progress) error {
		return stream.Send(&pb.CreateResponse{Message: &pb.CreateResponse_Progress{Progress: p}})
	})
	defer s.creates.begin(ctx)()
	sb, err := boxes.provider.Create(ctx, req)
	if err != nil {
		return s.fail(err, "")
	}
	boxes.put(sb)
	sending.stop()
	return stream.Send(&pb.CreateResponse{
		Message: &pb.CreateResponse_Done{Done: wire.Info(sb.ID(), sandboxInfo(sb))},
	})
}

// canceled waits for a cancel, or for the end of the stream.
func canceled(stream grpc.BidiStreamingServer[pb.CreateRequest, pb.CreateResponse]) bool {
	for {
		m, err := stream.Recv()
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
		Message: &pb.ResumeResponse_Done{Done: wire.Info(sb.ID(), sandboxInfo(sb))},
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
	if err := s.creates.settle(ctx); err != nil {
		return nil, s.fail(err, "")
	}
	list, err := boxes.provider.List(ctx)
	if err != nil {
		return nil, s.fail(err, "")
	}
	return &pb.ListResponse{Sandboxes: wire.Summaries(list)}, nil
}

// sandboxInfo is the sandbox's Info with the flags that its type decides, so
// that an author can't promise or hide files by mistake.
func sandboxInfo(sb sandbox.Sandbox) sandbox.Info {
	info := sb.Info()
	_, info.Capabilities.Files = sb.(sandbox.Filer)
	return info
}

// progress sends reports until it is stopped: a provider may go on reporting
// from a goroutine of its own after the call.
type progress struct {
	mu      sync.Mutex
	stopped bool
}

func (p *progress) report(send func(*pb.Progress) error) func(sandbox.Progress) {
	return func(step sandbox.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.stopped {
			// A report that can't be sent means the host has gone; then ctx ends.
			p.stopped = send(wire.Progress(step)) != nil
		}
	}
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
