package guest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Options of a connection. All may be left out.
type Options struct {
	// Name is the guest in messages; default "the guest".
	Name string
	// Died says why the stream has ended, after waiting a moment for the reason to
	// be known; nil, or an answer of nil: nobody can tell.
	Died func() error
	// Capabilities are those that requests are checked against.
	Capabilities sandbox.Capabilities
	// First is how long the guest may take to answer at all; default 30 s.
	First time.Duration
	// Pulse is how often it is asked whether it still answers; default 10 s. Three
	// questions in a row without an answer end the connection.
	Pulse time.Duration
}

// Client is a guest from outside.
type Client struct {
	// Sandbox is the guest's.
	Sandbox sandbox.Sandbox

	rpc   *grpc.ClientConn
	conn  remote.Conn
	ended chan struct{}
	hung  atomic.Bool
}

// Connect uses the guest at the other end of stream, which it owns from here on,
// also where it fails. It waits for the guest's first answer.
func Connect(ctx context.Context, stream net.Conn, o Options) (*Client, error) {
	if o.Name == "" {
		o.Name = "the guest"
	}
	if o.First == 0 {
		o.First = 30 * time.Second
	}
	c := &Client{ended: make(chan struct{})}
	watched := &closing{Conn: stream, closed: sync.OnceFunc(func() { close(c.ended) })}
	rpc, err := dial(watched, o.First)
	if err != nil {
		_ = watched.Close()
		return nil, err
	}
	c.rpc = rpc
	c.conn = remote.Conn{RPC: rpc, Name: o.Name, Timeouts: remote.Timeouts{Create: o.First, Pulse: o.Pulse}.WithDefaults()}
	c.conn.Died = func() error { return c.died(o) }
	p := remote.NewProvider(c.conn, o.Capabilities)
	if c.Sandbox, err = p.Resume(ctx, sandbox.ResumeRequest{ID: "guest"}); err != nil {
		_ = c.Close()
		_ = watched.Close() // it may not have been dialed
		return nil, err
	}
	go func() {
		if c.conn.Hangs(c.ended) {
			c.hung.Store(true)
			_ = c.Close()
		}
	}()
	return c, nil
}

// dial gives gRPC the stream once: one that has ended is not begun again.
func dial(stream net.Conn, first time.Duration) (*grpc.ClientConn, error) {
	var given atomic.Bool
	return grpc.NewClient("passthrough:///guest", append(remote.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: first}),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if given.Swap(true) {
				return nil, net.ErrClosed
			}
			return stream, nil
		}),
	)...)
}

func (c *Client) died(o Options) error {
	if c.hung.Load() {
		return sandbox.Errorf(sandbox.Unavailable, "%s %s", o.Name, c.conn.SilentFor())
	}
	if o.Died == nil {
		return nil
	}
	return o.Died()
}

// Ended is closed when the stream has ended or was let go.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Close lets go of the guest.
func (c *Client) Close() error { return c.rpc.Close() }
