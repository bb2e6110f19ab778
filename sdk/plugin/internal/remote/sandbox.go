package remote

import (
	"context"
	"strconv"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Sandbox is a sandbox of a remote provider. It has the methods of every
// optional interface; sandbox.As asks its capabilities too.
type Sandbox struct {
	*Conn
	provider *Provider
	rpc      pb.ProviderServiceClient
	id       string
	info     sandbox.Info
}

func newSandbox(p *Provider, done *pb.SandboxInfo) *Sandbox {
	id, info := wire.FromInfo(done)
	return &Sandbox{Conn: p.Conn, provider: p, rpc: p.rpc, id: id, info: info}
}

// ID implements sandbox.Sandbox.
func (s *Sandbox) ID() string { return s.id }

// Info implements sandbox.Sandbox.
func (s *Sandbox) Info() sandbox.Info { return s.info }

// Kill implements sandbox.Sandbox.
func (s *Sandbox) Kill(ctx context.Context, proc string, grace time.Duration) error {
	limit := s.Timeouts.Kill + max(grace, 0)
	_, err := unary(ctx, s.Conn, limit, "kill "+proc, func(ctx context.Context) (*pb.KillResponse, error) {
		return s.rpc.Kill(ctx, &pb.KillRequest{
			Sandbox: wire.Text(s.id), Process: wire.Text(proc), GraceMs: wire.Millis(grace),
		})
	})
	return err
}

// Alive implements sandbox.Sandbox.
func (s *Sandbox) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	r, err := unary(ctx, s.Conn, s.Timeouts.Unary, "look for "+proc, func(ctx context.Context) (*pb.AliveResponse, error) {
		return s.rpc.Alive(ctx, &pb.AliveRequest{Sandbox: wire.Text(s.id), Process: wire.Text(proc)})
	})
	if err != nil {
		return sandbox.AliveUnknown, err
	}
	return wire.FromLiveness(r.GetLiveness()), nil
}

// Port implements sandbox.Porter.
func (s *Sandbox) Port(ctx context.Context, port int) (sandbox.Port, error) {
	r, err := unary(ctx, s.Conn, s.Timeouts.Unary, "find port "+strconv.Itoa(port), func(ctx context.Context) (*pb.PortResponse, error) {
		return s.rpc.Port(ctx, &pb.PortRequest{Sandbox: wire.Text(s.id), Port: wire.Int32(port)})
	})
	if err != nil {
		return sandbox.Port{}, err
	}
	return wire.FromPort(r), nil
}

// KeepAlive implements sandbox.Keeper.
func (s *Sandbox) KeepAlive(ctx context.Context, d time.Duration) error {
	_, err := unary(ctx, s.Conn, s.Timeouts.Unary, "keep sandbox alive", func(ctx context.Context) (*pb.KeepAliveResponse, error) {
		return s.rpc.KeepAlive(ctx, &pb.KeepAliveRequest{Sandbox: wire.Text(s.id), DurationMs: wire.Millis(d)})
	})
	return err
}

// killAbandoned ends a process whose context has ended. The call has a
// context of its own and is awaited.
func (s *Sandbox) killAbandoned(ctx context.Context, proc string) error {
	return s.Kill(context.WithoutCancel(ctx), proc, s.Timeouts.KillGrace)
}
