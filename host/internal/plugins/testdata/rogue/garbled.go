package main

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"
)

// garbled answers calls with bytes that are no message, from one call on.
type garbled struct {
	goplugin.NetRPCUnsupportedPlugin

	from string // name of a call
}

const description = `{"kind":"provider","type":"probe","version":"9","protocols":[1],"schema":{},"env":["ROGUE"]}`

// GRPCServer serves what is needed on the way to a List.
func (g garbled) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	said := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte(description))
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "sandlot.v1.PluginService", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{g.method("Describe", said), g.method("Configure", nil)},
	}, g)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "sandlot.v1.ProviderService", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{g.method("List", nil)},
	}, g)
	return nil
}

func (garbled) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}

// method answers with bytes as they are: an empty message keeps what it doesn't
// know.
func (g garbled) method(name string, answer []byte) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		if err := decode(&emptypb.Empty{}); err != nil {
			return nil, err
		}
		if name == g.from {
			// A field 1 that is longer than what there is.
			answer = []byte("\x0a\xff\xff\xff\x07\x00garbage")
		}
		m := &emptypb.Empty{}
		m.ProtoReflect().SetUnknown(answer)
		return m, nil
	}}
}
