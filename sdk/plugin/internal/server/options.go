package server

import (
	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// Options are the server's options for the limits of the wire.
func Options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.MaxHeaderListSize(wire.MaxHeader),
		grpc.InitialWindowSize(wire.Window),
		grpc.InitialConnWindowSize(wire.ConnWindow),
	}
}
