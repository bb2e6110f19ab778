package main

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// deafEngine ignores that a container is to have no network.
type deafEngine struct{ engine }

func (e deafEngine) ContainerCreate(ctx context.Context, c *container.Config, h *container.HostConfig, n *network.NetworkingConfig, p *ocispec.Platform, name string) (container.CreateResponse, error) {
	h.NetworkMode = ""
	return e.engine.ContainerCreate(ctx, c, h, n, p, name)
}

func (deafEngine) NetworkDisconnect(context.Context, string, string, bool) error { return nil }

func TestANetworkThatIsDenied(t *testing.T) {
	t.Parallel()
	host, port := listenOnBridge(t)
	deny := sandbox.Network{Deny: true}
	reached := func(t *testing.T, sb sandbox.Sandbox) bool {
		t.Helper()
		out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "probe-" + rand.Text(), Argv: []string{"nc", host, port}})
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Stdout) == "reached\n"
	}
	p := openProvider(t, config{Image: imageBusybox, Pull: pullNever, Ports: []int{3000}})

	sb := create(t, p, request(p, sandbox.Network{}))
	if !reached(t, sb) {
		t.Fatal("with an open network the listener isn't reached")
	}
	again, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID(), Network: deny})
	if err != nil || reached(t, again) || reached(t, sb) {
		t.Errorf("resumed with a closed network, it is open (%v)", err)
	}
	again, err = p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID()})
	if err != nil || reached(t, again) {
		t.Errorf("what was closed is opened by whoever resumes it (%v)", err)
	}

	deaf := openProvider(t, config{Image: imageBusybox, Pull: pullNever})
	deaf.engine = deafEngine{deaf.engine}
	err = refused(t, deaf, request(deaf, deny))
	if !errors.Is(err, sandbox.Unsupported) || !strings.Contains(err.Error(), "eth0") {
		t.Errorf("an engine that closes nothing: %v", err)
	}

	access := openProvider(t, config{Image: imageBusybox, Pull: pullNever, HostAccess: true})
	err = refused(t, access, request(access, deny))
	if known, _ := errors.AsType[*sandbox.Error](err); !errors.Is(err, sandbox.Invalid) || known.Attribute != "host_access" {
		t.Errorf("access to the host without a network: %v", err)
	}
	_, err = again.(sandbox.Porter).Port(t.Context(), 3000)
	if !errors.Is(err, sandbox.Unsupported) || !strings.Contains(err.Error(), "denies it the network") {
		t.Errorf("a port without a network: %v", err)
	}
}
