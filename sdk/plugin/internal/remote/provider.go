package remote

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Provider is a configured provider in a plugin.
type Provider struct {
	*Conn
	rpc  pb.ProviderServiceClient
	caps sandbox.Capabilities
}

// NewProvider makes a client; caps is what Configure answered.
func NewProvider(c Conn, caps sandbox.Capabilities) *Provider {
	c.Timeouts = c.Timeouts.WithDefaults()
	return &Provider{Conn: &c, rpc: pb.NewProviderServiceClient(c.RPC), caps: caps}
}

// Capabilities implements sandbox.Provider.
func (p *Provider) Capabilities() sandbox.Capabilities { return p.caps }

// Create implements sandbox.Provider. When ctx ends, the plugin is asked to take
// back what it made, and its answer is awaited: it may be that the sandbox was
// finished before, and is returned.
func (p *Provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	const doing = "create sandbox"
	if err := ctx.Err(); err != nil {
		return nil, p.fail(ctx, doing, err)
	}
	callCtx, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	stream, err := p.rpc.Create(callCtx)
	if err != nil {
		return nil, p.fail(ctx, doing, err)
	}
	// An error of Send is io.EOF: the reason is what Recv says.
	_ = stream.Send(&pb.CreateRequest{Frame: &pb.CreateRequest_Create{Create: wire.CreateRequest(req)}})
	wanted, clock := startClock(ctx, p.Timeouts.Create)
	defer clock.stop()
	canceled := make(chan struct{})
	stop := context.AfterFunc(wanted, func() {
		defer close(canceled)
		_ = stream.Send(&pb.CreateRequest{Frame: &pb.CreateRequest_Cancel{Cancel: &pb.CancelCreate{}}})
		select {
		case <-time.After(p.Timeouts.Destroy):
			giveUp()
		case <-callCtx.Done():
		}
	})
	defer func() {
		if giveUp(); !stop() {
			<-canceled
		}
	}()
	return p.await(ctx, clock, doing, req.Progress, func() (step, error) { return stream.Recv() })
}

// Resume implements sandbox.Provider.
func (p *Provider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	callCtx, clock := startClock(ctx, p.Timeouts.Create)
	defer clock.stop()
	stream, err := p.rpc.Resume(callCtx, wire.ResumeRequest(req))
	if err != nil {
		return nil, clock.fail(p.Conn, ctx, "resume sandbox", err)
	}
	return p.await(ctx, clock, "resume sandbox", req.Progress, func() (step, error) { return stream.Recv() })
}

// step is a message of a Create or Resume.
type step interface {
	GetProgress() *pb.Progress
	GetDone() *pb.SandboxInfo
}

func (p *Provider) await(
	ctx context.Context, clock *clock, doing string, report func(sandbox.Progress), recv func() (step, error),
) (sandbox.Sandbox, error) {
	for {
		m, err := recv()
		if errors.Is(err, io.EOF) {
			return nil, p.lost(doing)
		}
		if err != nil {
			return nil, clock.fail(p.Conn, ctx, doing, err)
		}
		if done := m.GetDone(); done != nil {
			return newSandbox(p, done), nil
		}
		if m.GetProgress() == nil {
			continue // newer than we are
		}
		progress := wire.FromProgress(m.GetProgress())
		if progress.Phase == "pull" { // it may take as long as bytes arrive
			clock.reset()
		}
		if report != nil {
			report(progress)
		}
	}
}

// Destroy implements sandbox.Provider.
func (p *Provider) Destroy(ctx context.Context, id string) error {
	_, err := unary(ctx, p.Conn, p.Timeouts.Destroy, "destroy sandbox", func(ctx context.Context) (*pb.DestroyResponse, error) {
		return p.rpc.Destroy(ctx, &pb.DestroyRequest{Id: wire.Text(id)})
	})
	return err
}

// List implements sandbox.Provider.
func (p *Provider) List(ctx context.Context) ([]sandbox.Summary, error) {
	r, err := unary(ctx, p.Conn, p.Timeouts.Unary, "list sandboxes", func(ctx context.Context) (*pb.ListResponse, error) {
		return p.rpc.List(ctx, &pb.ListRequest{})
	})
	return wire.FromSummaries(r.GetSandboxes()), err
}
