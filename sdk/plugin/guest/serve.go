package guest

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/server"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// cleanup is how long what isn't detached may take to end with the stream.
const cleanup = 5 * time.Second

// Serve serves a provider on one connection. It returns when that has ended, or
// ctx, and when the processes that aren't detached have ended with it.
func Serve(ctx context.Context, conn net.Conn, p sandbox.Provider) error {
	base, release := context.WithCancel(ctx)
	defer release()
	catcher := &server.Catcher{Plugin: "guest", Block: func() string { return "" }, Log: func(*wire.Crash) {}}
	service := server.NewProvider(base, "guest", catcher)
	service.Use(p)
	g := grpc.NewServer(append(server.Options(),
		grpc.ChainUnaryInterceptor(catcher.Unary), grpc.ChainStreamInterceptor(catcher.Stream))...)
	service.Register(g)
	l := &once{conn: conn, ended: make(chan struct{})}
	stop := context.AfterFunc(base, g.Stop)
	defer stop()
	go func() {
		<-l.ended
		g.Stop()
	}()
	err := g.Serve(l)
	release()
	left, cancel := context.WithTimeout(context.Background(), cleanup)
	defer cancel()
	service.Wait(left)
	select {
	case <-l.ended:
		return nil // the other side has let go: that's how it ends
	default:
		return err
	}
}

// once is a listener that has one connection.
type once struct {
	conn  net.Conn
	given bool
	mu    sync.Mutex
	ended chan struct{} // the connection was closed
}

func (l *once) Accept() (net.Conn, error) {
	l.mu.Lock()
	given := l.given
	l.given = true
	l.mu.Unlock()
	if !given {
		return &closing{Conn: l.conn, closed: sync.OnceFunc(func() { close(l.ended) })}, nil
	}
	<-l.ended
	return nil, net.ErrClosed
}

func (l *once) Close() error   { return nil }
func (l *once) Addr() net.Addr { return l.conn.LocalAddr() }

// closing tells of its end.
type closing struct {
	net.Conn
	closed func()
}

func (c *closing) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
