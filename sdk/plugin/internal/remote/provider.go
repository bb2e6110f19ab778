package remote

import (
	"context"
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
	return p.create(ctx, "create sandbox", p.Timeouts.Create, wire.CreateRequest(req), req.Progress)
}

func (p *Provider) create(
	ctx context.Context, doing string, limit time.Duration, frame *pb.CreateSandbox, report func(sandbox.Progress),
) (sandbox.Sandbox, error) {
	done, err := made(ctx, p.Conn, making[pb.CreateRequest, pb.CreateResponse]{
		doing: doing, limit: limit, open: p.rpc.Create,
		begin:  &pb.CreateRequest{Frame: &pb.CreateRequest_Create{Create: frame}},
		cancel: &pb.CreateRequest{Frame: &pb.CreateRequest_Cancel{Cancel: &pb.TakeBack{}}},
	}, report, func(m *pb.CreateResponse) step[pb.SandboxInfo] { return m })
	if err != nil {
		return nil, err
	}
	return newSandbox(p, done), nil
}

// Resume implements sandbox.Provider.
func (p *Provider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	callCtx, clock := startClock(ctx, p.Timeouts.Create)
	defer clock.stop()
	stream, err := p.rpc.Resume(callCtx, wire.ResumeRequest(req))
	if err != nil {
		return nil, clock.fail(p.Conn, ctx, "resume sandbox", err)
	}
	done, err := await(ctx, p.Conn, clock, "resume sandbox", req.Progress, func() (step[pb.SandboxInfo], error) { return stream.Recv() })
	if err != nil {
		return nil, err
	}
	return newSandbox(p, done), nil
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
