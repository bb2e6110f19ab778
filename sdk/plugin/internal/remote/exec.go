package remote

import (
	"bytes"
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxUnaryStdin is how much stdin one message takes; more goes by a stream.
const maxUnaryStdin = 1 << 20

// Exec implements sandbox.Execer. Its deadline is that of ctx or, with a
// Timeout of the command, that and a unary call's; without either it is a unary
// call's alone.
func (s *Sandbox) Exec(ctx context.Context, cmd sandbox.Command) (sandbox.Output, error) {
	req := &pb.ExecRequest{
		Sandbox: wire.Text(s.id), Command: wire.Command(cmd), MaxCollect: sandbox.CollectLimit,
	}
	if cmd.Stdin != nil {
		head, err := io.ReadAll(io.LimitReader(cmd.Stdin, maxUnaryStdin+1))
		if err != nil {
			return sandbox.Output{}, sandbox.Errorf(sandbox.Invalid, "read stdin of %s: %w", cmd.ID, err)
		}
		if len(head) > maxUnaryStdin {
			cmd.Stdin = io.MultiReader(bytes.NewReader(head), cmd.Stdin)
			return sandbox.Collect(ctx, s, cmd, sandbox.CollectLimit)
		}
		req.Stdin = head
	}

	callCtx, cancel := s.execDeadline(ctx, cmd)
	defer cancel()
	r, err := s.rpc.Exec(callCtx, req)
	if err != nil {
		// The plugin kills it as well; this one is awaited.
		if brokenOff(callCtx, err) {
			err = errors.Join(s.fail(ctx, "exec "+cmd.ID, err), s.killAbandoned(ctx, cmd.ID))
			return sandbox.Output{}, err
		}
		return sandbox.Output{}, s.fail(ctx, "exec "+cmd.ID, err)
	}
	return sandbox.Output{
		Stdout: r.GetStdout(), Stderr: r.GetStderr(),
		Exit: wire.FromExit(r.GetExit()), Truncated: r.GetTruncated(),
	}, nil
}

// brokenOff reports whether a call ended before its answer. The other end has a
// timer for the same deadline, breaks the call off when that runs out, and says
// so before it has ended what it was doing; on a busy machine it may be the first
// of the two by far.
func brokenOff(ctx context.Context, err error) bool {
	return ctx.Err() != nil || status.Code(err) == codes.DeadlineExceeded
}

func (s *Sandbox) execDeadline(ctx context.Context, cmd sandbox.Command) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok && cmd.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Timeouts.Unary+cmd.Timeout)
}
