package server

import (
	"context"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Kill serves the call.
func (s *Provider) Kill(ctx context.Context, r *pb.KillRequest) (*pb.KillResponse, error) {
	sb, err := s.sandbox(ctx, r.GetSandbox())
	if err == nil {
		key := launchKey{sandbox: r.GetSandbox(), process: r.GetProcess()}
		err = s.starting.killAll(ctx, key, func() error {
			return sb.Kill(ctx, r.GetProcess(), wire.Duration(r.GetGraceMs()))
		})
	}
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	return &pb.KillResponse{}, nil
}

// Alive serves the call.
func (s *Provider) Alive(ctx context.Context, r *pb.AliveRequest) (*pb.AliveResponse, error) {
	sb, err := s.sandbox(ctx, r.GetSandbox())
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	alive, err := sb.Alive(ctx, r.GetProcess())
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	return &pb.AliveResponse{Liveness: wire.Text(string(alive))}, nil
}

// lifetime is the context of a process: it ends with the call and, unless the
// process is detached, with the plugin.
func (s *Provider) lifetime(call context.Context, detached bool) (context.Context, func()) {
	ctx, cancel := context.WithCancel(call)
	if detached {
		return ctx, cancel
	}
	s.procs.Add(1)
	stop := context.AfterFunc(s.base, cancel)
	return ctx, func() {
		stop()
		cancel()
		s.procs.Done()
	}
}

// killGrace is what a process gets between TERM and KILL when the one who
// started it has gone.
const killGrace = 500 * time.Millisecond

// letGo closes a process and, if its call was given up, makes sure of its
// death: the provider was told by the context, but nobody awaits that.
func letGo(ctx context.Context, sb sandbox.Sandbox, p sandbox.Process, cmd sandbox.Command) error {
	closeErr := p.Close()
	if ctx.Err() == nil || cmd.Detached {
		return closeErr
	}
	killCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*killGrace)
	defer cancel()
	return sb.Kill(killCtx, cmd.ID, killGrace)
}
