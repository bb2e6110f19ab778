//go:build linux

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// status is what `runs` says of a run.
func (s *stage) status(id string) string {
	s.t.Helper()
	for line := range strings.Lines(s.run("runs", "--json").want(s.t, 0).stdout) {
		var l struct{ Type, Run, Status string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			s.t.Fatalf("%v: %s", err, line)
		}
		if l.Type == "run" && l.Run == id {
			return l.Status
		}
	}
	return ""
}

func TestRunsStartsADriverForALiveRunThatHasNone(t *testing.T) {
	s := newMinimal(t)
	s.orphan("sleep 1\nsay after")
	r := s.run("runs").want(t, 0)
	if !strings.Contains(r.stderr, "driver of run r was gone; another one has been started") {
		t.Errorf("runs says %q", r.stderr)
	}
	until(t, 20*time.Second, "the run is driven to its end", func() bool { return s.status("r") == "completed" })
	if said := text(s.run("attach", "--json", "r").want(t, 0).events(t)); !strings.Contains(said, "after") {
		t.Errorf("the log holds %q", said)
	}
	if lines := strings.Count(s.file("starts"), "\n"); lines != 1 {
		t.Errorf("the agent was started %d times", lines)
	}
}

// TestRunsLeavesARunAloneWhoseSecretsAreNotHere has a driver that would give up,
// or scrub nothing.
func TestRunsLeavesARunAloneWhoseSecretsAreNotHere(t *testing.T) {
	s := newSecretive(t)
	s.orphan("heartbeat beat")
	full := s.env
	s.without("HOST_TOKEN")
	r := s.run("runs").want(t, 0)
	if !strings.Contains(r.stderr, "run r has no driver") || !strings.Contains(r.stderr, "HOST_TOKEN") || !strings.Contains(r.stdout, "a driver") {
		t.Errorf("runs says %q, %q", r.stdout, r.stderr)
	}
	if drivers := s.named("drive r"); len(drivers) > 0 {
		t.Errorf("a driver was started: %v", drivers)
	}
	s.env = full
	s.run("runs").want(t, 0)
	until(t, 10*time.Second, "the run is driven", func() bool { return len(s.named("drive r")) == 1 })
	s.run("cancel", "r").want(t, 0)
	still(t, filepath.Join(s.root(), "beat"))
}
