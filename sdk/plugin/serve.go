package plugin

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/guard"
)

// cleanup is how long a plugin may take to kill what it has started, after its
// host has let go of it or has died.
const cleanup = time.Second

// serve runs go-plugin's server. Whatever ends it, the processes that aren't
// detached end with it.
func (m Main) serve(d Description, parent guard.Parent, stdout *os.File) int {
	description, err := json.Marshal(d)
	if err != nil {
		return complain(exitError, "describe plugin: %v", err)
	}
	base, release := context.WithCancel(context.Background())
	defer release()
	s := m.services(base, d, description)
	var once sync.Once
	end := func(why string) {
		once.Do(func() {
			m.Log.Debug("plugin ends", "reason", why)
			release()
			s.finish(cleanup)
		})
	}
	go func() {
		if parent.Wait(base) {
			end("the host has died")
			os.Exit(exitError)
		}
	}()
	term := guard.Terminated()
	go func() {
		sig := <-term
		end(sig.String())
		os.Exit(exitError)
	}()

	stderr := os.Stderr
	os.Stdout = stdout
	served := false
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake(),
		VersionedPlugins: versioned(wired{register: func(g *grpc.Server) {
			// go-plugin has read its variables by now; nothing else may see them.
			guard.DropEnv(cookieKey)
			s.register(g)
			served = true
		}}),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(append(opts, s.options()...), reclaim(stderr)...)...)
		},
		Logger: newQuietLog(),
	})
	end("the host has closed the connection")
	if !served {
		return exitError
	}
	return exitOK
}

// reclaim gives os.Stdout and os.Stderr back: go-plugin points both at pipes of
// its own that block their writers when the host doesn't ask for them. The
// first call comes after that.
func reclaim(stderr *os.File) []grpc.ServerOption {
	var once sync.Once
	back := func() { once.Do(func() { os.Stdout, os.Stderr = stderr, stderr }) }
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			back()
			return next(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			back()
			return next(srv, stream)
		}),
	}
}
