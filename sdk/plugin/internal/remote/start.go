package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type startStream = grpc.BidiStreamingClient[pb.StartRequest, pb.StartResponse]

// Start implements sandbox.Sandbox.
func (s *Sandbox) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, s.fail(ctx, "start "+cmd.ID, err)
	}
	// The stream outlives ctx: the process is killed by a call of its own, and
	// its exit is then still read here.
	streamCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{sb: s, cmd: cmd, cancel: cancel, done: make(chan struct{}), abandoned: make(chan struct{})}
	opened := make(chan struct{})
	var openErr error
	go func() {
		defer close(opened)
		openErr = p.open(streamCtx)
	}()
	patience := time.NewTimer(s.Timeouts.Start)
	defer patience.Stop()
	select {
	case <-opened:
		if openErr != nil {
			cancel()
			return nil, s.fail(ctx, "start "+cmd.ID, openErr)
		}
	case <-ctx.Done():
		return nil, p.giveUp(ctx, opened, s.fail(ctx, "start "+cmd.ID, ctx.Err()))
	case <-patience.C:
		return nil, p.giveUp(ctx, opened, s.silent("start "+cmd.ID, s.Timeouts.Start, nil))
	}
	p.stopWatch = context.AfterFunc(ctx, p.abandon)
	go p.receive()
	go p.listen(streamCtx)
	if cmd.Stdin != nil {
		go p.feed()
	}
	return p, nil
}

// open starts the stream and waits for the frame that says the process exists.
func (p *process) open(ctx context.Context) error {
	stream, err := p.sb.rpc.Start(ctx)
	if err != nil {
		return err
	}
	p.stream, p.sending = stream, make(chan struct{}, 1)
	// An error of Send is io.EOF: the reason is what Recv says.
	_ = stream.Send(&pb.StartRequest{Frame: &pb.StartRequest_Start{Start: &pb.StartCommand{
		Sandbox: wire.Text(p.sb.id), Command: wire.Command(p.cmd),
	}}})
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return p.sb.lost("start " + p.cmd.ID)
	}
	if err != nil {
		return err
	}
	if first.GetStarted() == nil {
		return sandbox.Errorf(sandbox.Internal, "start %s: the plugin's first frame is %T", p.cmd.ID, first.GetFrame())
	}
	p.pid = int(first.GetStarted().GetPid())
	return nil
}

// giveUp ends a process that may or may not have been started. The stream's end
// reaches the plugin before the kill does: what hasn't begun by then won't, and
// the kill waits for what has. A detached one is left to whoever knows its id.
func (p *process) giveUp(ctx context.Context, opened <-chan struct{}, err error) error {
	p.cancel()
	<-opened
	if p.cmd.Detached {
		return err
	}
	if killErr := p.sb.killAbandoned(ctx, p.cmd.ID); killErr != nil {
		err = fmt.Errorf("%w; %w", err, killErr)
	}
	return err
}
