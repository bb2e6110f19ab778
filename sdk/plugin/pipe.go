package plugin

import (
	"context"
	"encoding/json"
	"net"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// T is what a pipe needs of a test.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// ProviderPipe puts a real gRPC connection, in memory, before a provider: what
// passes it has crossed the wire.
func ProviderPipe(t T, p sandbox.Provider) sandbox.Provider {
	t.Helper()
	conn := pipe(t, KindProvider, Main{Provider: func(context.Context, Configure) (sandbox.Provider, error) { return p, nil }})
	return remote.NewProvider(conn, p.Capabilities())
}

// HarnessPipe does the same for a harness.
func HarnessPipe(t T, h harness.Harness) Opener {
	t.Helper()
	return remote.NewHarness(pipe(t, KindHarness, Main{
		Harness: func(context.Context, Configure) (harness.Harness, error) { return h, nil },
	}))
}

// Opener opens sessions of a harness: *remote.Harness is one.
type Opener interface {
	// Open begins a session. It ends with ctx, with Close, or after Done. The
	// first message to send is *harness.Start.
	Open(ctx context.Context) (harness.Host, error)
}

// pipe serves in this process what a plugin serves in its own.
func pipe(t T, kind Kind, m Main) remote.Conn {
	t.Helper()
	conn, err := connect(t, kind, m)
	if err != nil {
		t.Fatalf("configure pipe: %v", err)
	}
	return conn
}

// connect is pipe with the error of Configure.
func connect(t T, kind Kind, m Main) (remote.Conn, error) {
	t.Helper()
	m.Log = hclog.NewNullLogger()
	d := Description{Kind: kind, Type: "piped", SDK: SDKVersion, Protocols: Protocols()}
	description, err := json.Marshal(d)
	if err != nil {
		t.Fatalf("describe plugin: %v", err)
	}
	base, release := context.WithCancel(context.Background())
	s := m.services(base, d, description)
	g := grpc.NewServer(s.options()...)
	s.register(g)
	listener := bufconn.Listen(1 << 20)
	go func() { _ = g.Serve(listener) }() // it ends when the test stops it
	rpc, err := grpc.NewClient("passthrough:///pipe", append(remote.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	)...)
	if err != nil {
		t.Fatalf("connect pipe: %v", err)
	}
	t.Cleanup(func() {
		_ = rpc.Close()
		g.Stop()
		release()
		s.finish(cleanup)
	})
	conn := remote.Conn{RPC: rpc, Name: "the piped " + string(kind)}
	_, err = remote.Configure(base, conn, &pb.ConfigureRequest{})
	return conn, err
}
