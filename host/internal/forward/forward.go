package forward

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// early is how long before its expiry a way is asked for again.
const early = 30 * time.Second

// Options of a forward.
type Options struct {
	// Find tells the way to the port. It is asked at once, and again when what it told
	// expires.
	Find func(ctx context.Context) (sandbox.Port, error)
	// Transport makes the requests of the proxy.
	Transport http.RoundTripper
	// Failed is told of a connection that couldn't be passed on, once until another one
	// could. It may be called concurrently.
	Failed func(error)
}

// Forward is a port of a sandbox that is to be served.
type Forward struct {
	Options

	mu     sync.Mutex
	way    sandbox.Port
	target *url.URL
	told   bool
}

// New asks for the way to the port.
func New(ctx context.Context, o Options) (*Forward, error) {
	f := &Forward{Options: o}
	_, _, err := f.current(ctx)
	return f, err
}

// Plain reports whether the way takes any protocol over TCP; else only HTTP, with
// websockets, is served.
func (f *Forward) Plain() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.target.Scheme == "http" && len(f.way.Headers) == 0
}

// Serve passes on what comes in at a listener until ctx ends, and with it every
// connection. It closes the listener.
func (f *Forward) Serve(ctx context.Context, l net.Listener) error {
	if f.Plain() {
		return f.serveTCP(ctx, l)
	}
	return f.serveHTTP(ctx, l)
}

// current is the way as it is good now.
func (f *Forward) current(ctx context.Context) (sandbox.Port, *url.URL, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.target != nil && (f.way.Expires.IsZero() || time.Until(f.way.Expires) > early) {
		return f.way, f.target, nil
	}
	way, err := f.Find(ctx)
	if err != nil {
		return way, nil, err
	}
	target, err := url.Parse(way.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return way, nil, sandbox.Errorf(sandbox.Internal, "the provider gave %q as the URL of a port", way.URL)
	}
	f.way, f.target = way, target
	return way, target, nil
}

// went tells how a connection went.
func (f *Forward) went(err error) {
	f.mu.Lock()
	tell := err != nil && !f.told
	f.told = err != nil
	f.mu.Unlock()
	if tell && f.Failed != nil {
		f.Failed(fmt.Errorf("pass a connection on: %w", err))
	}
}
