package plugin

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// The cookie tells a plugin that a host started it; it is no secret.
const (
	cookieKey   = "SANDLOT_PLUGIN"
	cookieValue = "a sandlot host started this process"
)

// service is the one name under which every plugin serves.
const service = "sandlot"

func handshake() goplugin.HandshakeConfig {
	return goplugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue}
}

func versioned(p goplugin.Plugin) map[int]goplugin.PluginSet {
	sets := map[int]goplugin.PluginSet{}
	for _, major := range Protocols() {
		sets[major] = goplugin.PluginSet{service: p}
	}
	return sets
}

// wired is both halves of what go-plugin calls a plugin: our services on one
// side, the bare connection on the other.
type wired struct {
	goplugin.NetRPCUnsupportedPlugin

	register func(*grpc.Server)
}

var _ goplugin.GRPCPlugin = wired{}

// GRPCServer implements goplugin.GRPCPlugin.
func (w wired) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	w.register(s)
	return nil
}

// GRPCClient implements goplugin.GRPCPlugin.
func (wired) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}
