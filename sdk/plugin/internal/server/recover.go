package server

import (
	"context"
	"fmt"
	"path"
	"runtime/debug"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// Catcher turns a panic in a call into an error, so that one bad call doesn't
// end the process and all that it serves.
type Catcher struct {
	Plugin  string              // type of the plugin
	Version string              // of the plugin
	Reports string              // URL where it may be reported; may be empty
	Block   func() string       // the configuration block
	Log     func(c *wire.Crash) // told of each
}

func (c *Catcher) caught(method string, value any) error {
	crash := &wire.Crash{
		Plugin: c.Plugin, Version: c.Version, Call: path.Base(method), Block: c.Block(), Reports: c.Reports,
		Value: fmt.Sprint(value), Stack: string(debug.Stack()),
	}
	c.Log(crash)
	return crash.Status()
}

// Unary is an interceptor.
func (c *Catcher) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if v := recover(); v != nil {
			resp, err = nil, c.caught(info.FullMethod, v)
		}
	}()
	return handler(ctx, req)
}

// Stream is an interceptor.
func (c *Catcher) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = c.caught(info.FullMethod, v)
		}
	}()
	return handler(srv, stream)
}
