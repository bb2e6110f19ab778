package server

import (
	"bytes"
	"context"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxCollect keeps an answer with both outputs below the message limit.
const maxCollect = 30 << 20

// Exec serves the call by Start.
func (s *Provider) Exec(ctx context.Context, r *pb.ExecRequest) (*pb.ExecResponse, error) {
	out, err := s.exec(ctx, r)
	if err != nil {
		return nil, s.fail(err, r.GetSandbox())
	}
	return &pb.ExecResponse{
		Stdout: out.Stdout, Stderr: out.Stderr, Exit: wire.Exit(out.Exit), Truncated: out.Truncated,
	}, nil
}

func (s *Provider) exec(ctx context.Context, r *pb.ExecRequest) (sandbox.Output, error) {
	cmd := wire.FromCommand(r.GetCommand())
	if err := cmd.Check(); err != nil {
		return sandbox.Output{}, err
	}
	if cmd.Detached {
		return sandbox.Output{}, sandbox.Errorf(sandbox.Invalid, "exec %s: a detached process needs Start", cmd.ID)
	}
	ctx, done := s.lifetime(ctx, false)
	defer done()
	defer s.starting.begin(launchKey{sandbox: r.GetSandbox(), process: cmd.ID})() // until it has ended
	if ctx.Err() != nil {                                                         // looked at after begin: a kill may have come and gone
		return sandbox.Output{}, ctx.Err()
	}
	sb, err := s.sandbox(ctx, r.GetSandbox())
	if err != nil {
		return sandbox.Output{}, err
	}
	if r.GetCommand().GetStdin() {
		cmd.Stdin = bytes.NewReader(r.GetStdin())
	}
	limit := r.GetMaxCollect()
	if limit <= 0 {
		limit = sandbox.CollectLimit
	}
	out, err := sandbox.Collect(ctx, sb, cmd, min(limit, maxCollect))
	if err != nil && ctx.Err() != nil { // without an error it has ended, and its id may be in use again
		killCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*killGrace)
		defer cancel()
		_ = sb.Kill(killCtx, cmd.ID, killGrace)
	}
	return out, err
}
