package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestFoldersThatCantBeTheUsersAreRefused has those that a container can't go
// without.
func TestFoldersThatCantBeTheUsersAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, attribute string
		set             func(*config)
	}{
		{"a workspace in the guest's folder", "workdir", func(c *config) { c.Workdir = "/usr/local/lib/sandlot" }},
		{"a workspace in the state folder", "workdir", func(c *config) { c.Workdir = "/workspace/../var/lib/sandlot/state" }},
		{"a workspace around the state folder", "workdir", func(c *config) { c.Workdir = "/var/" }},
		{"a workspace that the kernel makes up", "workdir", func(c *config) { c.Workdir = "/proc/1/cwd" }},
		{"memory over the state folder", "tmpfs", func(c *config) { c.Tmpfs = map[string]string{"/var/lib": "1MiB"} }},
		{"memory over the guest", "tmpfs", func(c *config) { c.Tmpfs = map[string]string{"/usr/local/lib/sandlot/": "1MiB"} }},
		{"memory over everything", "tmpfs", func(c *config) { c.Tmpfs = map[string]string{"//": "1MiB"} }},
		{"a mount over the guest", "mount[0]", func(c *config) { c.Mounts = []mountConfig{{Target: "/usr/local", Source: "/srv"}} }},
		{"so little of a processor that the engine sets no limit", "cpus", func(c *config) { c.CPUs = 1e-7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			whole := config{Image: "x", Workdir: "/workspace", CPUs: 0.5, Tmpfs: map[string]string{"/var/tmp": "1MiB"}}
			if err := whole.check(); err != nil {
				t.Fatalf("without it: %v", err)
			}
			c.set(&whole)
			err := whole.check()
			if e, ok := errors.AsType[*sandbox.Error](err); !ok || e.Class != sandbox.Invalid || !strings.HasPrefix(e.Attribute, c.attribute) {
				t.Errorf("got %v", err)
			}
		})
	}
}
