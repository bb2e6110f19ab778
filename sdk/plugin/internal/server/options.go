package server

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// Options are the server's options for the limits of the wire.
func Options() []grpc.ServerOption {
	buffers := &wire.Buffers{}
	return []grpc.ServerOption{
		grpc.ForceServerCodecV2(wire.NewCodec(buffers)),
		experimental.BufferPool(buffers),
		grpc.WriteBufferSize(wire.IOBuffer),
		grpc.ReadBufferSize(wire.IOBuffer),
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.MaxHeaderListSize(wire.MaxHeader),
		grpc.InitialWindowSize(wire.Window),
		grpc.InitialConnWindowSize(wire.ConnWindow),
	}
}
