package remote

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// feed copies Stdin into frames. A Read that blocks after the process has ended
// keeps this goroutine until it returns; the caller owns the reader.
func (p *process) feed() {
	buf := make([]byte, stdinChunk)
	for {
		n, err := p.cmd.Stdin.Read(buf)
		if n > 0 {
			// Send has encoded it when it returns.
			if p.send(context.Background(), &pb.StartRequest{Frame: &pb.StartRequest_Stdin{Stdin: buf[:n]}}) != nil {
				return
			}
		}
		if n == len(buf) && n < chunk {
			buf = make([]byte, chunk)
		}
		if err != nil {
			_ = p.send(context.Background(), &pb.StartRequest{Frame: &pb.StartRequest_StdinEof{StdinEof: &pb.StdinEOF{}}})
			return
		}
	}
}

// send sends one frame. It blocks while the process doesn't read its stdin.
func (p *process) send(ctx context.Context, r *pb.StartRequest) error {
	select {
	case p.sending <- struct{}{}:
		defer func() { <-p.sending }()
	case <-p.done:
		return ended(p.cmd.ID)
	case <-ctx.Done():
		return p.sb.fail(ctx, "send to "+p.cmd.ID, ctx.Err())
	}
	if err := p.stream.Send(r); err != nil {
		return ended(p.cmd.ID) // how it ended is what Wait says
	}
	return nil
}

func ended(id string) error {
	return sandbox.Errorf(sandbox.NotFound, "send to %s: the process has ended", id)
}

// Signal implements sandbox.Process.
func (p *process) Signal(ctx context.Context, n int) error {
	return p.send(ctx, &pb.StartRequest{Frame: &pb.StartRequest_Signal{Signal: &pb.Signal{Number: wire.Int32(n)}}})
}

// Resize implements sandbox.Process.
func (p *process) Resize(ctx context.Context, size sandbox.Size) error {
	if p.cmd.TTY == nil {
		return &sandbox.Error{
			Class: sandbox.Unsupported, Capability: "pty",
			Message: "resize " + p.cmd.ID + ": it has no terminal",
		}
	}
	return p.send(ctx, &pb.StartRequest{Frame: &pb.StartRequest_Resize{Resize: wire.Size(size)}})
}
