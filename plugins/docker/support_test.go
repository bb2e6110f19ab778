package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// openProvider is the provider of a configuration, with an owner of this test's.
func openProvider(t *testing.T, c config) *provider {
	t.Helper()
	if c.Image == "" {
		c.Image = imageBusybox
	}
	if c.Workdir == "" {
		c.Workdir = "/workspace"
	}
	p, err := newProvider(t.Context(), c, sdk.Host{Home: t.TempDir(), Owner: "0190c0de-" + strings.ToLower(rand.Text()), Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.(*provider).Close(); err != nil {
			t.Error(err)
		}
	})
	return p.(*provider)
}

// request asks p for a sandbox of its own.
func request(p *provider, n sandbox.Network) sandbox.CreateRequest {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return sandbox.CreateRequest{Key: hex.EncodeToString(key), Labels: sandbox.Labels{Owner: p.owner, Key: hex.EncodeToString(key)}, Network: n}
}

// create makes a sandbox that is removed with the test.
func create(t *testing.T, p *provider, req sandbox.CreateRequest) sandbox.Sandbox {
	t.Helper()
	sb, err := p.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Destroy(context.Background(), sb.ID()); err != nil {
			t.Error(err)
		}
	})
	return sb
}

// newBox makes a container of a provider of its own.
func newBox(t *testing.T, c config) *box {
	t.Helper()
	p := openProvider(t, c)
	return create(t, p, request(p, sandbox.Network{})).(*box)
}

// refused is the error of a create, which must leave nothing.
func refused(t *testing.T, p *provider, req sandbox.CreateRequest) error {
	t.Helper()
	sb, err := p.Create(t.Context(), req)
	if err == nil {
		_ = p.Destroy(context.Background(), sb.ID())
		t.Fatal("the sandbox was made")
	}
	if left := leftovers(context.Background(), t, testEngine(t), p.owner); len(left) > 0 {
		t.Errorf("left on the engine: %q", left)
	}
	return err
}

// sh is what a script prints in a sandbox; it must succeed.
func sh(t *testing.T, sb sandbox.Sandbox, script string) string {
	t.Helper()
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "sh-" + rand.Text(), Script: script})
	if err != nil || !out.Exit.Ok() {
		t.Fatalf("%s: %v %+v %s%s", script, err, out.Exit, out.Stdout, out.Stderr)
	}
	return string(out.Stdout)
}

// listenOnBridge is an address of this machine that containers reach, where
// somebody answers.
func listenOnBridge(t *testing.T) (host, port string) {
	t.Helper()
	bridge, err := testEngine(t).NetworkInspect(t.Context(), "bridge", network.InspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bridge.IPAM.Config {
		l, err := net.Listen("tcp4", net.JoinHostPort(c.Gateway, "0"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte("reached\n"))
				_ = conn.Close()
			}
		}()
		host, port, _ = net.SplitHostPort(l.Addr().String())
	}
	return host, port
}
