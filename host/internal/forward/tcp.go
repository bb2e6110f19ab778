package forward

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"
)

const dialTimeout = 10 * time.Second

// serveTCP passes bytes on as they are.
func (f *Forward) serveTCP(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept a connection: %w", err)
		}
		open.Go(func() { f.connect(ctx, conn) })
	}
}

// connect joins a connection with one to the sandbox until both sides have said all,
// or ctx ends.
func (f *Forward) connect(ctx context.Context, near net.Conn) {
	defer near.Close()
	_, target, err := f.current(ctx)
	var far net.Conn
	if err == nil {
		dialer := net.Dialer{Timeout: dialTimeout}
		far, err = dialer.DialContext(ctx, "tcp", addressOf(target))
	}
	f.went(err)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })()
	var both sync.WaitGroup
	both.Go(func() { pour(far, near) })
	both.Go(func() { pour(near, far) })
	both.Wait()
}

// addressOf is where a URL's host listens.
func addressOf(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// pour copies one direction to its end, and passes the end on: the other one may go on.
func pour(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close() // what reads from it ends too
}
