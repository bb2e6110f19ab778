package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// chunk is how much of a file travels in one message.
const chunk = 256 << 10

// Read implements sandbox.Files.
func (f *files) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	callCtx, clock := startClock(ctx, f.Timeouts.Stall)
	stream, err := f.rpc.ReadFile(callCtx, &pb.ReadFileRequest{
		Sandbox: f.sandbox, Path: []byte(path), Offset: opts.Offset, Limit: opts.Limit, Follow: opts.Follow,
	})
	r := &download{conn: f.Conn, ctx: ctx, clock: clock, patient: opts.Follow, doing: "read " + path}
	if err == nil {
		m := &pb.ReadFileResponse{} // the same for all: its memory is used again
		r.recv = func() ([]byte, error) {
			if err := stream.RecvMsg(m); err != nil {
				return nil, err
			}
			return m.GetData(), nil
		}
		r.rest, err = r.recv() // the first message says that the file is open
	}
	if errors.Is(err, io.EOF) {
		err = f.lost(r.doing)
	}
	clock.hold()
	if err != nil {
		defer clock.stop()
		return nil, clock.stalled(f.Conn, ctx, r.doing, err)
	}
	return r, nil
}

// download reads the data of a stream's messages.
type download struct {
	conn    *Conn
	ctx     context.Context //nolint:containedctx // a reader is the call it was opened by
	clock   *clock
	patient bool // it waits for what isn't written yet
	doing   string
	recv    func() ([]byte, error)
	rest    []byte
	err     error
	closed  atomic.Bool
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		if !d.patient {
			d.clock.reset()
		}
		data, err := d.recv()
		d.clock.hold()
		switch {
		case errors.Is(err, io.EOF):
			d.err = io.EOF
		case err != nil && d.closed.Load():
			d.err = fs.ErrClosed
		case err != nil:
			d.err = d.clock.stalled(d.conn, d.ctx, d.doing, err)
		}
		d.rest = data
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (d *download) Close() error {
	d.closed.Store(true)
	d.clock.stop()
	return nil
}

// Pull implements sandbox.Files.
func (f *files) Pull(ctx context.Context, path string, w io.Writer) error {
	callCtx, clock := startClock(ctx, f.Timeouts.Stall)
	defer clock.stop()
	stream, err := f.rpc.Pull(callCtx, &pb.PullRequest{Sandbox: f.sandbox, Path: []byte(path)})
	m := &pb.PullResponse{} // the same for all, too
	for err == nil {
		clock.reset()
		err = stream.RecvMsg(m)
		clock.hold()
		if err == nil && len(m.GetData()) > 0 {
			if _, writeErr := w.Write(m.GetData()); writeErr != nil {
				return writeErr
			}
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return clock.stalled(f.Conn, ctx, "pull "+path, err)
}

// Write implements sandbox.Files.
func (f *files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	callCtx, clock := startClock(ctx, f.Timeouts.Stall)
	defer clock.stop() // before the end of the content it makes the plugin keep the old file
	stream, err := f.rpc.WriteFile(callCtx)
	if err != nil {
		return clock.stalled(f.Conn, ctx, "write "+path, err)
	}
	err = upload(r, clock, func(data []byte, first bool) error {
		m := &pb.WriteFileRequest{Message: &pb.WriteFileRequest_Data{Data: data}}
		if first {
			m.Message = &pb.WriteFileRequest_Start{Start: &pb.WriteFileStart{
				Sandbox: f.sandbox, Path: []byte(path), Mode: wire.Mode(opts.Mode),
			}}
		}
		return stream.Send(m)
	})
	if err != nil {
		return err
	}
	_, err = stream.CloseAndRecv()
	return clock.stalled(f.Conn, ctx, "write "+path, err)
}

// Push implements sandbox.Files.
func (f *files) Push(ctx context.Context, path string, r io.Reader) error {
	callCtx, clock := startClock(ctx, f.Timeouts.Stall)
	defer clock.stop()
	stream, err := f.rpc.Push(callCtx)
	if err != nil {
		return clock.stalled(f.Conn, ctx, "push "+path, err)
	}
	err = upload(r, clock, func(data []byte, first bool) error {
		m := &pb.PushRequest{Message: &pb.PushRequest_Data{Data: data}}
		if first {
			m.Message = &pb.PushRequest_Start{Start: &pb.PushStart{Sandbox: f.sandbox, Path: []byte(path)}}
		}
		return stream.Send(m)
	})
	if err != nil {
		return err
	}
	_, err = stream.CloseAndRecv()
	return clock.stalled(f.Conn, ctx, "push "+path, err)
}

// answerStalls is how many times as long as for a part of it the answer to an
// upload may take: what was sent may have a long way to go yet.
const answerStalls = 5

// upload sends a start and then what r holds. An error is one of r, as it is;
// that of a send is what CloseAndRecv will tell.
func upload(r io.Reader, clock *clock, send func(data []byte, first bool) error) error {
	defer func() { // for the answer
		clock.limit *= answerStalls
		clock.reset()
	}()
	if send(nil, true) != nil {
		return nil
	}
	buf := make([]byte, chunk)
	for {
		clock.hold()
		n, err := io.ReadFull(r, buf)
		clock.reset()
		if n > 0 && send(buf[:n], false) != nil {
			return nil
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}
