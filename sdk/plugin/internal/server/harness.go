package server

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Harness serves a harness. It may be registered before the harness is known:
// sessions before Configure are refused.
type Harness struct {
	pb.UnimplementedHarnessServiceServer

	name string // type of the plugin, for errors

	mu      sync.Mutex
	harness harness.Harness
}

// NewHarness makes the service.
func NewHarness(name string) *Harness { return &Harness{name: name} }

// Register adds the service to a server.
func (s *Harness) Register(r grpc.ServiceRegistrar) { pb.RegisterHarnessServiceServer(r, s) }

// Use sets the harness.
func (s *Harness) Use(h harness.Harness) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.harness = h
}

// Run serves one session.
func (s *Harness) Run(stream grpc.BidiStreamingServer[pb.RunRequest, pb.RunResponse]) error {
	s.mu.Lock()
	h := s.harness
	s.mu.Unlock()
	if h == nil {
		return wire.Status(notConfigured(s.name), s.name)
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	c := &conn{stream: stream, in: make(chan harness.ToHarness)}
	go c.receive(ctx)
	session, err := harness.Open(ctx, c)
	if err == nil {
		err = h.Run(ctx, session)
	}
	switch {
	case c.finished():
		return nil // the result is out; what came after it changes nothing
	case err != nil:
		return wire.Status(err, s.name)
	}
	return wire.Status(sandbox.Errorf(sandbox.Internal, "run session: the %s harness returned without a result", s.name), s.name)
}

// conn is a harness.Conn over a stream.
type conn struct {
	stream grpc.BidiStreamingServer[pb.RunRequest, pb.RunResponse]
	in     chan harness.ToHarness
	end    error // why in was closed; set before

	mu   sync.Mutex // one Send at a time
	done bool       // Done was sent
}

// receive is one message ahead of the harness, so that Recv can end with its
// context; the stream's own flow control does the rest.
func (c *conn) receive(ctx context.Context) {
	defer close(c.in)
	for {
		r, err := c.stream.Recv()
		if err != nil {
			c.end = err
			return
		}
		m := wire.FromToHarness(r)
		if m == nil {
			continue // the host is newer and told something we don't know
		}
		select {
		case c.in <- m:
		case <-ctx.Done():
			c.end = ctx.Err()
			return
		}
	}
}

// Recv implements harness.Conn.
func (c *conn) Recv(ctx context.Context) (harness.ToHarness, error) {
	select {
	case m, ok := <-c.in:
		if ok {
			return m, nil
		}
		if errors.Is(c.end, io.EOF) {
			return nil, io.EOF
		}
		e, _ := wire.FromStatus(c.end)
		return nil, e
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Send implements harness.Conn.
func (c *conn) Send(_ context.Context, m harness.FromHarness) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return sandbox.Errorf(sandbox.Invalid, "send %T: Done was sent already", m)
	}
	messages := wire.FromHarness(m)
	if messages == nil {
		return sandbox.Errorf(sandbox.Invalid, "send %T: not a message of a harness", m)
	}
	for _, r := range messages {
		if err := c.stream.Send(r); err != nil {
			return err
		}
	}
	_, c.done = m.(*harness.Done)
	return nil
}

func (c *conn) finished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}
