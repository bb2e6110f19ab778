package guest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Whoever has the rights of the guest's user can stand in its place. The fakes are
// named for what they do to us.

// silent takes all and says nothing.
func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// babbling says what is no protocol, without an end.
func babbling(conn net.Conn) {
	go silent(conn)
	_, _ = io.Copy(conn, rand.Reader)
}

// boasting begins a frame of 16 MiB and fills it for ever.
func boasting(conn net.Conn) {
	go silent(conn)
	_, _ = conn.Write([]byte{0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1})
	_, _ = io.Copy(conn, zeros{})
}

// pinging asks for an answer to a ping without an end, and never reads one.
func pinging(conn net.Conn) {
	_, _ = conn.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0}) // settings
	_, _ = io.Copy(conn, &repeating{text: append([]byte{0, 0, 8, 6, 0, 0, 0, 0, 0}, make([]byte, 8)...)})
}

func ending(conn net.Conn) { _ = conn.Close() }

// swelling answers every call with a message that has no end.
func swelling(conn net.Conn) {
	answer(conn, func(s grpc.ServerStream) error {
		return s.SendMsg(make([]byte, 80<<20))
	})
}

// lying answers every call with bytes that are no message.
func lying(conn net.Conn) {
	answer(conn, func(s grpc.ServerStream) error { return s.SendMsg(bytes.Repeat([]byte{0xff}, 1000)) })
}

func answer(conn net.Conn, how func(grpc.ServerStream) error) {
	g := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.MaxSendMsgSize(1<<30),
		grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error { return how(s) }))
	l := &lone{conn: conn, over: make(chan struct{})}
	defer l.Close()
	_ = g.Serve(l)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type repeating struct {
	text []byte
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at%len(r.text)]
		r.at++
	}
	return len(p), nil
}

// raw sends bytes as they are.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	data, _ := v.([]byte)
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}
func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }

// lone is a listener that has one connection.
type lone struct {
	conn net.Conn
	once sync.Once
	over chan struct{}
	shut sync.Once
}

func (l *lone) Accept() (c net.Conn, err error) {
	l.once.Do(func() { c = l.conn })
	if c != nil {
		return c, nil
	}
	<-l.over
	return nil, net.ErrClosed
}
func (l *lone) Close() error   { l.shut.Do(func() { close(l.over) }); return nil }
func (l *lone) Addr() net.Addr { return l.conn.LocalAddr() }

func TestAGuestThatIsAnotherCannotHoldUsNorFillUs(t *testing.T) {
	for _, c := range []struct {
		name  string
		guest func(net.Conn)
	}{
		{"one that never answers", silent},
		{"one that babbles", babbling},
		{"one that begins a huge frame", boasting},
		{"one that only pings", pinging},
		{"one that ends at once", ending},
		{"one whose answer has no end", swelling},
		{"one whose answer is no message", lying},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			go c.guest(theirs)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			client, err := guest.Connect(t.Context(), ours, guest.Options{First: 500 * time.Millisecond})
			if err == nil {
				_ = client.Close()
				t.Fatal("it was taken for a guest")
			}
			runtime.ReadMemStats(&after)
			// Both ends are in this process; the largest message is 80 MiB at one of them.
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 512<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
			switch sandbox.ClassOf(err) {
			case sandbox.Unavailable, sandbox.TimedOut, sandbox.Internal, sandbox.Exhausted:
			default:
				t.Errorf("%v (%s)", err, sandbox.ClassOf(err))
			}
			if _, err := theirs.Write([]byte{0}); err == nil {
				t.Error("the stream wasn't let go")
			}
		})
	}
}

// stopping is a connection that stands still once it is told to.
type stopping struct {
	net.Conn
	still chan struct{}
	freed chan struct{}
}

func (s *stopping) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	select {
	case <-s.still:
		<-s.freed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func TestAGuestThatStopsIsLetGo(t *testing.T) {
	ours, theirs := net.Pipe()
	stop := &stopping{Conn: theirs, still: make(chan struct{}), freed: make(chan struct{})}
	go func() { _ = guest.Serve(context.WithoutCancel(t.Context()), stop, oneBox{}) }()
	client, err := guest.Connect(t.Context(), ours, guest.Options{Pulse: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Sandbox.Start(t.Context(), sandbox.Command{ID: "x", Argv: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	close(stop.still)
	exit, err := p.Wait(t.Context())
	if exit.Reason != sandbox.ReasonUnknown || !errors.Is(err, sandbox.Unavailable) || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("%+v, %v", exit, err)
	}
	select {
	case <-client.Ended():
	case <-time.After(10 * time.Second):
		t.Error("it wasn't let go")
	}
	_ = client.Close()
	close(stop.freed)
}

// oneBox is a provider whose sandbox has commands that don't end by themselves.
type oneBox struct{ sandbox.Provider }

func (oneBox) Capabilities() sandbox.Capabilities { return sandbox.Capabilities{} }
func (oneBox) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return endless{}, nil
}

type endless struct{ sandbox.Sandbox }

func (endless) ID() string                                        { return "guest" }
func (endless) Info() sandbox.Info                                { return sandbox.Info{} }
func (endless) Kill(context.Context, string, time.Duration) error { return nil }
func (endless) Start(ctx context.Context, _ sandbox.Command) (sandbox.Process, error) {
	return running{ctx}, nil
}

type running struct{ ctx context.Context } //nolint:containedctx // it is the process's life

func (running) PID() int                                   { return 1 }
func (running) Signal(context.Context, int) error          { return nil }
func (running) Resize(context.Context, sandbox.Size) error { return nil }
func (running) Close() error                               { return nil }
func (r running) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-ctx.Done():
	case <-r.ctx.Done():
	}
	return sandbox.Exit{Reason: sandbox.ReasonSignaled, Signal: 9, Code: -1}, nil
}
