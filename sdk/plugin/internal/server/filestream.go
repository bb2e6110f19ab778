package server

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// chunk is how much of a file travels in one message.
const chunk = 256 << 10

// listBatch is how many entries of a folder travel in one message.
const listBatch = 512

// ReadFile serves the call. The first message says that the file is open; it
// may be empty.
func (s *Provider) ReadFile(r *pb.ReadFileRequest, stream grpc.ServerStreamingServer[pb.ReadFileResponse]) error {
	return s.fail(s.readFile(r, stream), r.GetSandbox())
}

func (s *Provider) readFile(r *pb.ReadFileRequest, stream grpc.ServerStreamingServer[pb.ReadFileResponse]) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	f, err := s.files(ctx, r.GetSandbox())
	if err != nil {
		return err
	}
	content, err := f.Read(ctx, string(r.GetPath()), sandbox.ReadOptions{
		Offset: r.GetOffset(), Limit: r.GetLimit(), Follow: r.GetFollow(),
	})
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // read only: nothing is lost
	if err := stream.Send(&pb.ReadFileResponse{}); err != nil {
		return err
	}
	buf := make([]byte, chunk)
	for {
		n, err := content.Read(buf)
		if n > 0 {
			if err := stream.Send(&pb.ReadFileResponse{Data: buf[:n]}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// WriteFile serves the call. The content is complete only when the host has
// closed its side: any other end of the stream is an error of the reader, so
// that the provider keeps the old file.
func (s *Provider) WriteFile(stream grpc.ClientStreamingServer[pb.WriteFileRequest, pb.WriteFileResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	start := first.GetStart()
	if start == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "write file: the first message must be start"), "")
	}
	f, err := s.files(stream.Context(), start.GetSandbox())
	if err == nil {
		m := &pb.WriteFileRequest{} // the same for all: its memory is used again
		content := &received{next: func() ([]byte, error) {
			if err := stream.RecvMsg(m); err != nil {
				return nil, err
			}
			return m.GetData(), nil
		}}
		err = f.Write(stream.Context(), string(start.GetPath()), content,
			sandbox.WriteOptions{Mode: wire.FromMode(start.GetMode())})
	}
	if err != nil {
		return s.fail(err, start.GetSandbox())
	}
	return stream.SendAndClose(&pb.WriteFileResponse{})
}

// ListDir serves the call.
func (s *Provider) ListDir(r *pb.ListDirRequest, stream grpc.ServerStreamingServer[pb.ListDirResponse]) error {
	f, err := s.files(stream.Context(), r.GetSandbox())
	if err != nil {
		return s.fail(err, r.GetSandbox())
	}
	list, err := f.List(stream.Context(), string(r.GetPath()))
	if err != nil {
		return s.fail(err, r.GetSandbox())
	}
	for len(list) > 0 {
		n := min(listBatch, len(list))
		if err := stream.Send(&pb.ListDirResponse{Entries: wire.FileInfos(list[:n])}); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// Pull serves the call.
func (s *Provider) Pull(r *pb.PullRequest, stream grpc.ServerStreamingServer[pb.PullResponse]) error {
	f, err := s.files(stream.Context(), r.GetSandbox())
	if err == nil {
		err = f.Pull(stream.Context(), string(r.GetPath()), sent(func(p []byte) error {
			return stream.Send(&pb.PullResponse{Data: p})
		}))
	}
	return s.fail(err, r.GetSandbox())
}

// Push serves the call; the tar stream is complete as for WriteFile.
func (s *Provider) Push(stream grpc.ClientStreamingServer[pb.PushRequest, pb.PushResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	start := first.GetStart()
	if start == nil {
		return s.fail(sandbox.Errorf(sandbox.Invalid, "push files: the first message must be start"), "")
	}
	f, err := s.files(stream.Context(), start.GetSandbox())
	if err == nil {
		m := &pb.PushRequest{} // the same for all, too
		err = f.Push(stream.Context(), string(start.GetPath()), &received{next: func() ([]byte, error) {
			if err := stream.RecvMsg(m); err != nil {
				return nil, err
			}
			return m.GetData(), nil
		}})
	}
	if err != nil {
		return s.fail(err, start.GetSandbox())
	}
	return stream.SendAndClose(&pb.PushResponse{})
}

// received reads the data of a stream's messages.
type received struct {
	next func() ([]byte, error)
	rest []byte
}

func (r *received) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		data, err := r.next()
		if err != nil {
			return 0, err
		}
		r.rest = data
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// WriteTo implements io.WriterTo: who copies needs no memory of its own, and
// writes as much at once as came at once.
func (r *received) WriteTo(w io.Writer) (int64, error) {
	for all := int64(0); ; {
		if len(r.rest) > 0 {
			n, err := w.Write(r.rest)
			all, r.rest = all+int64(n), r.rest[n:]
			if err != nil {
				return all, err
			}
		}
		var err error
		if r.rest, err = r.next(); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
	}
}

// sent writes into messages of a stream.
type sent func(p []byte) error

func (send sent) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		part := p[n:min(len(p), n+chunk)]
		if err := send(part); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}
