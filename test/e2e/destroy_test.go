//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestASandboxInUseIsNotDestroyed(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	running := s.start("run", "--json", "--run-id", "r", "write f: x\nsay started\nsleep 1h")
	running.await("started")
	r := s.run("destroy", "demo").want(t, 1)
	if !strings.Contains(r.stderr, "in use by run r") || !strings.Contains(r.stderr, "sandlot cancel r") {
		t.Errorf("destroy says %q", r.stderr)
	}
	s.file("f")
	s.run("cancel", "r").want(t, 0)
	running.ends().want(t, 4)
	s.run("destroy", "demo").want(t, 0)
	if left, _ := filepath.Glob(filepath.Join(s.home, "sandboxes", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDestroyWithoutThePluginSaysWhichIsMissing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.run("run", "write f: x").want(t, 0)
	row := filepath.Base(filepath.Dir(s.root()))
	bare := filepath.Join(t.TempDir(), "sandlot")
	copyFile(t, filepath.Join(built, "sandlot"), bare)
	cmd := s.command(t.Context(), "destroy", "sandlot-"+row)
	cmd.Path = bare
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "localprocess") {
		t.Errorf("destroy says %q, %v", out, err)
	}
	s.file("f")
	s.run("destroy", "demo").want(t, 0)
}
