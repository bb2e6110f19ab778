package main

import (
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestVolumesThatTheEngineLeavesAreRemoved has it leave one by a create that it
// refuses when that is half done, and by a container that somebody removes without
// what was in it.
func TestVolumesThatTheEngineLeavesAreRemoved(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	twice := []mountConfig{{Target: "/x", Source: shared}, {Target: "/x/", Source: shared}}
	for _, c := range []struct {
		name  string
		mount []mountConfig
		after func(p *provider, sb sandbox.Sandbox) error
	}{
		{"a create that is refused", twice, nil},
		{"a container that somebody removed", nil, func(p *provider, sb sandbox.Sandbox) error {
			if err := p.engine.ContainerRemove(t.Context(), sb.ID(), container.RemoveOptions{Force: true}); err != nil {
				return err
			}
			return p.Destroy(t.Context(), sb.ID())
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := openProvider(t, config{Image: imageBusybox, Pull: pullNever, Mounts: c.mount})
			sb, err := p.Create(t.Context(), request(p, sandbox.Network{Deny: true}))
			if (err != nil) != (c.after == nil) {
				t.Fatalf("create: %v", err)
			}
			if c.after != nil {
				if err := c.after(p, sb); err != nil {
					t.Fatal(err)
				}
			}
			if left := leftovers(t.Context(), t, testEngine(t), p.owner); len(left) != 1 {
				t.Fatalf("the engine leaves %q, not one volume", left)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if left := leftovers(t.Context(), t, testEngine(t), p.owner); len(left) > 0 {
				t.Errorf("left on the engine: %q", left)
			}
		})
	}
}
