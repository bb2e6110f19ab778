package remote

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// making is a call that makes something, by frames of type Q up and A down.
type making[Q, A any] struct {
	doing         string
	limit         time.Duration // but for an image that is pulled
	open          func(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[Q, A], error)
	begin, cancel *Q
}

// step is a message of such a call, whose end is a D.
type step[D any] interface {
	GetProgress() *pb.Progress
	GetDone() *D
}

// made makes the call. When ctx ends, the plugin is asked to take back what it
// made, and its answer is awaited.
func made[Q, A, D any](
	ctx context.Context, c *Conn, m making[Q, A], report func(sandbox.Progress), as func(*A) step[D],
) (*D, error) {
	if err := ctx.Err(); err != nil {
		return nil, c.fail(ctx, m.doing, err)
	}
	callCtx, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	stream, err := m.open(callCtx)
	if err != nil {
		return nil, c.fail(ctx, m.doing, err)
	}
	// An error of Send is io.EOF: the reason is what Recv says.
	_ = stream.Send(m.begin)
	wanted, clock := startClock(ctx, m.limit)
	defer clock.stop()
	canceled := make(chan struct{})
	stop := context.AfterFunc(wanted, func() {
		defer close(canceled)
		_ = stream.Send(m.cancel)
		select {
		case <-time.After(c.Timeouts.Destroy):
			giveUp()
		case <-callCtx.Done():
		}
	})
	defer func() {
		if giveUp(); !stop() {
			<-canceled
		}
	}()
	return await(ctx, c, clock, m.doing, report, func() (step[D], error) {
		a, err := stream.Recv()
		return as(a), err
	})
}

// await takes the steps of a call until its end.
func await[D any](
	ctx context.Context, c *Conn, clock *clock, doing string, report func(sandbox.Progress), recv func() (step[D], error),
) (*D, error) {
	for {
		m, err := recv()
		if errors.Is(err, io.EOF) {
			return nil, c.lost(doing)
		}
		if err != nil {
			return nil, clock.fail(c, ctx, doing, err)
		}
		if done := m.GetDone(); done != nil {
			return done, nil
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
