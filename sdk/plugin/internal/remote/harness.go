package remote

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Harness is a configured harness in a plugin.
type Harness struct {
	*Conn
	rpc pb.HarnessServiceClient
}

// NewHarness makes a client.
func NewHarness(c Conn) *Harness {
	c.Timeouts = c.Timeouts.WithDefaults()
	return &Harness{Conn: &c, rpc: pb.NewHarnessServiceClient(c.RPC)}
}

// Open begins a session. It ends with ctx, with Close, or after Done. The first
// message to send is *harness.Start.
func (h *Harness) Open(ctx context.Context) (harness.Host, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := h.rpc.Run(ctx)
	if err != nil {
		cancel()
		return nil, h.fail(ctx, "open session", err)
	}
	s := &session{
		conn: h.Conn, ctx: ctx, cancel: cancel,
		out: make(chan *pb.RunRequest), in: make(chan harness.FromHarness), over: make(chan struct{}),
	}
	s.pumps.Add(2)
	go s.sendAll(stream.Send, stream.CloseSend)
	go s.receive(stream.Recv)
	return s, nil
}

// session is a harness.Host over a stream. Two goroutines, each one message
// ahead, stand between the stream and Send and Recv, so that these can end with
// their contexts; the stream's flow control reaches through.
type session struct {
	conn   *Conn
	ctx    context.Context //nolint:containedctx // of the session
	cancel context.CancelFunc
	pumps  sync.WaitGroup

	out  chan *pb.RunRequest
	in   chan harness.FromHarness
	over chan struct{} // closed when nothing more will be received
	end  error         // why; set before over is closed
}

// Send implements harness.Host.
func (s *session) Send(ctx context.Context, m harness.ToHarness) error {
	r := wire.ToHarness(m)
	if r == nil {
		return sandbox.Errorf(sandbox.Invalid, "send %T: not a message of a host", m)
	}
	select {
	case s.out <- r:
		return nil
	case <-s.over:
		return s.end
	case <-s.ctx.Done():
		return s.conn.fail(s.ctx, "send to harness", s.ctx.Err())
	case <-ctx.Done():
		return s.conn.fail(ctx, "send to harness", ctx.Err())
	}
}

// Recv implements harness.Host.
func (s *session) Recv(ctx context.Context) (harness.FromHarness, error) {
	select {
	case m := <-s.in:
		return m, nil
	case <-s.over:
		return nil, s.end
	case <-ctx.Done():
		return nil, s.conn.fail(ctx, "receive from harness", ctx.Err())
	}
}

// Close implements harness.Host.
func (s *session) Close() error {
	s.cancel()
	s.pumps.Wait()
	return nil
}

func (s *session) sendAll(send func(*pb.RunRequest) error, closeSend func() error) {
	defer s.pumps.Done()
	for {
		select {
		case r := <-s.out:
			if send(r) != nil {
				return // Recv tells why
			}
		case <-s.over:
			_ = closeSend() // the session is over
			return
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *session) receive(recv func() (*pb.RunResponse, error)) {
	defer s.pumps.Done()
	defer close(s.over)
	for {
		r, err := recv()
		switch {
		case errors.Is(err, io.EOF):
			s.end = s.conn.lost("receive from harness")
			return
		case err != nil:
			s.end = s.conn.fail(s.ctx, "receive from harness", err)
			return
		}
		m := wire.FromFromHarness(r)
		if m == nil {
			continue // the harness is newer and told something we don't know
		}
		select {
		case s.in <- m:
			if _, done := m.(*harness.Done); done {
				s.end = io.EOF // it was the last
				return
			}
		case <-s.ctx.Done():
			s.end = s.conn.fail(s.ctx, "receive from harness", s.ctx.Err())
			return
		}
	}
}
