//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stuck is a project with a sound provider and one whose removals can fail.
const stuck = `
provider "localprocess" "here" {}
provider "faulty" "stuck" { hang = "destroy" }
harness "minimal" "m" {}
sandbox "good" {
  provider = provider.localprocess.here
  harness  = harness.minimal.m
}
sandbox "stuck" {
  provider = provider.faulty.stuck
  harness  = harness.minimal.m
}
`

// newStuck has a sandbox of each block, that of the sound one older.
func newStuck(t *testing.T) *stage {
	t.Helper()
	s := newStage(t, stuck)
	s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
	s.env = append(s.env, "SANDLOT_PLUGIN_DIR="+filepath.Join(built, "faulty"))
	s.run("run", "--sandbox", "good", "--run-id", "good", "say a").want(t, 0)
	s.archived("good")
	s.run("run", "--sandbox", "stuck", "--run-id", "stuck", "say a").want(t, 1) // without files a sandbox is of no use, and stays
	s.archived("stuck")
	return s
}

func TestGCGoesOnAfterAFailureAndTellsIt(t *testing.T) {
	t.Parallel()
	s := newStuck(t)
	s.env = append(s.env, "SANDLOT_FAULT=refuse")
	r := s.run("gc", "--idle", "0s").want(t, 1)
	if !strings.Contains(r.stderr, "✗ sandbox faulty-") || !strings.Contains(r.stderr, "it is protected") ||
		!strings.Contains(r.stdout, "removed sandbox sandlot-") || len(s.roots()) > 0 {
		t.Errorf("gc says %q, %q; left: %v", r.stdout, r.stderr, s.roots())
	}
	s.env = append(s.env, "SANDLOT_FAULT=")
	r = s.run("gc").want(t, 0) // what was begun needs no time to pass
	if !strings.Contains(r.stdout, "removed sandbox faulty-") || !strings.Contains(r.stdout, "its removal was begun and never finished") {
		t.Errorf("the next gc says %q", r.stdout)
	}
	if r := s.run("ps").want(t, 0); r.stdout != "" {
		t.Errorf("left: %s", r.stdout)
	}
}

func TestWhatAKilledGCHasBegunIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	s := newStuck(t)
	s.env = append(s.env, "SANDLOT_FAULT=on")
	cmd := s.command(t.Context(), "gc", "--idle", "0s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, 20*time.Second, "gc removes the sandbox", func() bool {
		_, err := os.Stat(filepath.Join(s.home, "faulty", "destroying"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	s.pluginsGone()
	s.env = append(s.env, "SANDLOT_FAULT=")
	s.run("gc", "--idle", "0s").want(t, 0)
	if r := s.run("ps").want(t, 0); r.stdout != "" {
		t.Errorf("left: %s", r.stdout)
	}
}
