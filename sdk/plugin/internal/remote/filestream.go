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
	callCtx, cancel := context.WithCancel(ctx)
	stream, err := f.rpc.ReadFile(callCtx, &pb.ReadFileRequest{
		Sandbox: f.sandbox, Path: []byte(path), Offset: opts.Offset, Limit: opts.Limit, Follow: opts.Follow,
	})
	r := &download{conn: f.Conn, ctx: ctx, cancel: cancel, doing: "read " + path}
	if err == nil {
		r.recv = func() ([]byte, error) {
			m, err := stream.Recv()
			return m.GetData(), err
		}
		r.rest, err = r.recv() // the first message says that the file is open
	}
	if errors.Is(err, io.EOF) {
		err = f.lost(r.doing)
	}
	if err != nil {
		cancel()
		return nil, f.fail(ctx, r.doing, err)
	}
	return r, nil
}

// download reads the data of a stream's messages.
type download struct {
	conn   *Conn
	ctx    context.Context //nolint:containedctx // a reader is the call it was opened by
	cancel context.CancelFunc
	doing  string
	recv   func() ([]byte, error)
	rest   []byte
	err    error
	closed atomic.Bool
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		data, err := d.recv()
		switch {
		case errors.Is(err, io.EOF):
			d.err = io.EOF
		case err != nil && d.closed.Load():
			d.err = fs.ErrClosed
		case err != nil:
			d.err = d.conn.fail(d.ctx, d.doing, err)
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
	d.cancel()
	return nil
}

// Pull implements sandbox.Files.
func (f *files) Pull(ctx context.Context, path string, w io.Writer) error {
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.rpc.Pull(callCtx, &pb.PullRequest{Sandbox: f.sandbox, Path: []byte(path)})
	for err == nil {
		var m *pb.PullResponse
		if m, err = stream.Recv(); err == nil && len(m.GetData()) > 0 {
			if _, writeErr := w.Write(m.GetData()); writeErr != nil {
				return writeErr
			}
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return f.fail(ctx, "pull "+path, err)
}

// Write implements sandbox.Files.
func (f *files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel() // before the end of the content it makes the plugin keep the old file
	stream, err := f.rpc.WriteFile(callCtx)
	if err != nil {
		return f.fail(ctx, "write "+path, err)
	}
	err = upload(r, func(data []byte, first bool) error {
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
	return f.fail(ctx, "write "+path, err)
}

// Push implements sandbox.Files.
func (f *files) Push(ctx context.Context, path string, r io.Reader) error {
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.rpc.Push(callCtx)
	if err != nil {
		return f.fail(ctx, "push "+path, err)
	}
	err = upload(r, func(data []byte, first bool) error {
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
	return f.fail(ctx, "push "+path, err)
}

// upload sends a start and then what r holds. An error is one of r, as it is;
// that of a send is what CloseAndRecv will tell.
func upload(r io.Reader, send func(data []byte, first bool) error) error {
	if send(nil, true) != nil {
		return nil
	}
	buf := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, buf)
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
