package server

import (
	"context"
	"io"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type startStream = grpc.BidiStreamingServer[pb.StartRequest, pb.StartResponse]

// Start serves one process. This goroutine sends the frames started and exit,
// and what is written between them is sent by its writers, one at a time.
func (s *Provider) Start(stream startStream) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	start := first.GetStart()
	if start == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "start process: the first frame must be start"), "")
	}
	return s.fail(s.start(stream, start), start.GetSandbox())
}

func (s *Provider) start(stream startStream, start *pb.StartCommand) error {
	cmd := wire.FromCommand(start.GetCommand())
	if err := cmd.Check(); err != nil {
		return err
	}
	ctx, done := s.lifetime(stream.Context(), cmd.Detached)
	defer done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	begun := s.starting.begin(launchKey{sandbox: start.GetSandbox(), process: cmd.ID})
	defer begun()
	if ctx.Err() != nil { // looked at after begin: a kill may have come and gone
		return ctx.Err()
	}
	sb, err := s.sandbox(ctx, start.GetSandbox())
	if err != nil {
		return err
	}

	box := newOutbox(stream.Send)
	defer box.end()
	cmd.Stdout, cmd.Stderr = writer{box: box}, writer{box: box, stderr: true}
	var feed *io.PipeWriter
	if start.GetCommand().GetStdin() {
		var stdin *io.PipeReader
		stdin, feed = io.Pipe()
		defer stdin.CloseWithError(io.ErrClosedPipe) // frees a feeder whose process has ended
		cmd.Stdin = stdin
	}

	p, err := sb.Start(ctx, cmd)
	begun()
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if ended { // its id may be that of another process by now, which a kill would hit
			_ = p.Close()
		} else {
			_ = letGo(ctx, sb, p, cmd)
		}
	}()
	err = box.begin(&pb.StartResponse{Frame: &pb.StartResponse_Started{Started: &pb.Started{Pid: int64(p.PID())}}})
	if err != nil {
		return err
	}
	go func() {
		defer func() {
			if v := recover(); v != nil {
				end(s.catcher.caught("Start", v))
			}
		}()
		steer(ctx, stream, p, feed)
	}()
	ended, err = follow(ctx, p, box, stream)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follow waits for the process, whose output is sent when Wait says how it ended,
// sends the exit, and reports whether the process has ended. Without an exit
// frame the host knows that the exit is unknown.
func follow(ctx context.Context, p sandbox.Process, box *outbox, stream startStream) (ended bool, err error) {
	exit, err := p.Wait(ctx)
	box.end()
	if err != nil {
		return false, err
	}
	return true, stream.Send(&pb.StartResponse{Frame: &pb.StartResponse_Exit{Exit: wire.Exit(exit)}})
}

// steer takes the frames that follow start until the stream ends. Stdin that
// the process doesn't read holds up what comes after it, also signals; Kill is
// a call of its own and gets through.
func steer(ctx context.Context, stream startStream, p sandbox.Process, feed *io.PipeWriter) {
	r := &pb.StartRequest{} // the same for all: its memory is used again
	for {
		if err := stream.RecvMsg(r); err != nil {
			// Half closed is an end; anything else must not look like one.
			closeFeed(feed, err)
			return
		}
		switch f := r.GetFrame().(type) {
		case *pb.StartRequest_Stdin:
			if feed != nil {
				_, _ = feed.Write(f.Stdin) // an error means that nobody reads: the rest is dropped
			}
		case *pb.StartRequest_StdinEof:
			closeFeed(feed, io.EOF)
		case *pb.StartRequest_Signal:
			_ = p.Signal(ctx, int(f.Signal.GetNumber())) // the process may have ended; there is no answer frame
		case *pb.StartRequest_Resize:
			_ = p.Resize(ctx, wire.FromSize(f.Resize))
		}
	}
}

func closeFeed(feed *io.PipeWriter, err error) {
	if feed != nil {
		_ = feed.CloseWithError(err)
	}
}
