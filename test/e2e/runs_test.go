//go:build linux

package e2e

import (
	"encoding/json"
	"os"
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
	t.Parallel()
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
	t.Parallel()
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

// TestARunWithoutADriverLeavesItsThread has no folder for the driver's log.
func TestARunWithoutADriverLeavesItsThread(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	blocker := filepath.Join(s.home, "runs")
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.run("run", "--run-id", "r", "--thread", "t", "say a").want(t, 1); !strings.Contains(r.stderr, "start a driver for run r") {
		t.Errorf("run says %q", r.stderr)
	}
	if err := os.Remove(blocker); err != nil {
		t.Fatal(err)
	}
	s.run("run", "--run-id", "s", "--thread", "t", "say a").want(t, 0)
	events := s.run("attach", "--json", "r").want(t, 1).events(t)
	if last := events[len(events)-1].Event; last.Type != "RUN_ERROR" || last.Code != "bootstrap_failed" {
		t.Errorf("the run ends with %s %s", last.Type, last.Code)
	}
}

// TestSockets looks for the folders that sockets were in. Its name is short, as
// a socket's path must be.
func TestSockets(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "say a").want(t, 0)
	s.run("ps").want(t, 0)
	until(t, 10*time.Second, "the folder of sockets is there and empty", func() bool {
		left, err := os.ReadDir(filepath.Join(s.home, "sockets"))
		return err == nil && len(left) == 0
	})
}
