package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A read-only mount of a folder leaves what is mounted below it as it is, with
// engines before 25.
func TestWhatIsMountedBelowAReadOnlyFolder(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	below := filepath.Join(shared, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", below, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatalf("mount a file system (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(below, syscall.MNT_DETACH) })
	data := mountConfig{Target: "/data", Source: shared, ReadOnly: true}
	p := openProvider(t, config{Image: imageBusybox, Pull: pullNever, Mounts: []mountConfig{data}})
	req := request(p, sandbox.Network{})
	sb, err := p.Create(t.Context(), req)
	if err == nil { // an engine that protects it
		out := sh(t, sb, ": > /data/below/x && echo written || echo no")
		_ = p.Destroy(t.Context(), sb.ID())
		if out != "no\n" {
			t.Fatal("the container writes below what is read-only")
		}
		return
	}
	known, _ := errors.AsType[*sandbox.Error](err)
	if !errors.Is(err, sandbox.Unsupported) || known.Attribute != "mount[0].read_only" || !strings.Contains(err.Error(), "/data/below") {
		t.Errorf("the refusal is %+v", err)
	}
	asked := openProvider(t, config{Image: imageBusybox, Pull: pullNever, Mounts: []mountConfig{data, {Target: "/data/below", Source: below}}})
	if got := sh(t, create(t, asked, request(asked, sandbox.Network{})), ": > /data/below/x && echo written"); got != "written\n" {
		t.Errorf("a mount of its own: %q", got)
	}
}
