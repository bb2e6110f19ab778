package remote

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Call is one that has ended.
type Call struct {
	Method string        // e.g. "Create"
	Took   time.Duration // of a stream, until its end
	Class  sandbox.Class // of its error; empty: there was none
}

// Calls knows which calls are under way on a connection. When a plugin dies,
// they are what it died of.
type Calls struct {
	// Ended is told of each call once it has ended, of nothing that it carried;
	// nil: nobody is.
	Ended func(Call)

	mu     sync.Mutex
	open   []*call
	broken []*call // ended with the connection, the last few
}

type call struct {
	method string
	began  time.Time
	ended  time.Time
}

// aftermath is how long after its end a call counts as one that the plugin died
// under: its error comes before the process's end is known.
const aftermath = 2 * time.Second

// most is how many broken calls are kept.
const most = 16

// UnderWay names the calls that are open, or broke off a moment ago, each once,
// newest first: the last is the likeliest to have done it.
func (c *Calls) UnderWay() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	seen := map[string]bool{}
	add := func(one *call) {
		if !seen[one.method] {
			seen[one.method] = true
			names = append(names, one.method)
		}
	}
	all := slices.Clone(c.open)
	for _, one := range c.broken {
		if time.Since(one.ended) < aftermath {
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b *call) int { return b.began.Compare(a.began) })
	for _, one := range all {
		add(one)
	}
	return names
}

// DialOptions watch the calls of a connection.
func (c *Calls) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.unary), grpc.WithChainStreamInterceptor(c.stream)}
}

// ours tells our calls from go-plugin's own.
func ours(method string) bool { return strings.HasPrefix(method, "/sandlot.") }

func (c *Calls) begin(method string) (end func(error)) {
	one := &call{method: path.Base(method), began: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, one)
	var once sync.Once
	return func(err error) { once.Do(func() { c.end(one, err) }) }
}

func (c *Calls) end(one *call, err error) {
	var class sandbox.Class
	broke := false
	if err != nil && !errors.Is(err, io.EOF) {
		e, told := wire.FromStatus(err)
		class, broke = e.Class, !told
	}
	c.mu.Lock()
	one.ended = time.Now()
	for i := range c.open {
		if c.open[i] == one {
			c.open = append(c.open[:i], c.open[i+1:]...)
			break
		}
	}
	if broke {
		c.broken = append(c.broken[max(0, len(c.broken)-most+1):], one)
	}
	c.mu.Unlock()
	if c.Ended != nil {
		c.Ended(Call{Method: one.method, Took: one.ended.Sub(one.began), Class: class})
	}
}

func (c *Calls) unary(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if !ours(method) {
		return next(ctx, method, req, reply, conn, opts...)
	}
	end := c.begin(method)
	err := next(ctx, method, req, reply, conn, opts...)
	end(err)
	return err
}

func (c *Calls) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if !ours(method) {
		return next(ctx, desc, conn, method, opts...)
	}
	end := c.begin(method)
	s, err := next(ctx, desc, conn, method, opts...)
	if err != nil {
		end(err)
		return nil, err
	}
	// Who has what he wanted of a stream lets go of it without reading its end.
	context.AfterFunc(ctx, func() { end(nil) })
	return &watched{s, !desc.ServerStreams, end}, nil
}

// watched is a stream whose end is noted.
type watched struct {
	grpc.ClientStream

	single bool // one message is all that comes
	end    func(error)
}

// RecvMsg implements grpc.ClientStream.
func (w *watched) RecvMsg(m any) error {
	err := w.ClientStream.RecvMsg(m)
	if err != nil || w.single {
		w.end(err)
	}
	return err
}
