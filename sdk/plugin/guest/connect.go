package guest

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Options of a connection. All may be left out.
type Options struct {
	// Name is the guest in messages; default "the guest".
	Name string
	// Died says why the stream has ended; nil, or an answer of nil: nobody can
	// tell.
	Died func() error
	// Capabilities are those that requests are checked against.
	Capabilities sandbox.Capabilities
}

// Client is a guest from outside.
type Client struct {
	// Provider has one sandbox: whatever id Resume is given, it is that.
	Provider sandbox.Provider

	rpc *grpc.ClientConn
}

// Connect uses the guest at the other end of conn, which it owns from here on.
// It doesn't wait for an answer.
func Connect(conn net.Conn, o Options) (*Client, error) {
	if o.Name == "" {
		o.Name = "the guest"
	}
	var mu sync.Mutex
	rpc, err := grpc.NewClient("passthrough:///guest", append(remote.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			if conn == nil {
				return nil, net.ErrClosed // a stream that has ended is not begun again
			}
			given := conn
			conn = nil
			return given, nil
		}),
	)...)
	if err != nil {
		return nil, err
	}
	c := remote.Conn{RPC: rpc, Name: o.Name, Died: o.Died}
	return &Client{Provider: remote.NewProvider(c, o.Capabilities), rpc: rpc}, nil
}

// Close lets go of the guest.
func (c *Client) Close() error { return c.rpc.Close() }
