//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// shieldEnv names the program that this one becomes after it gave up the right to
// send KILL.
const shieldEnv = "SANDLOT_E2E_SHIELD"

// shielded becomes a plugin that can't end what ignores TERM, as with another
// user's processes. It returns only with an error.
func shielded(program string) error {
	if err := leakcheck.ShieldAll(unix.SIGKILL); err != nil {
		return err
	}
	if err := os.Unsetenv(shieldEnv); err != nil {
		return err
	}
	return syscall.Exec(program, append([]string{program}, os.Args[1:]...), os.Environ())
}

// noCgroups hides what would end a process whoever owns it.
func noCgroups(t *testing.T) {
	t.Helper()
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var found []string
	for sc := bufio.NewScanner(file); sc.Scan(); {
		if strings.Contains(sc.Text(), " - cgroup2 ") {
			found = append(found, strings.Fields(sc.Text())[4])
		}
	}
	for _, folder := range found {
		if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=4096"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatCannotBeEndedIsTold has an agent that the provider can't kill: its
// run stays open, and everybody who asks is told what still runs.
func TestWhatCannotBeEndedIsTold(t *testing.T) {
	t.Parallel()
	if !inOwnMounts(t) {
		return
	}
	noCgroups(t)
	s := newDemo(t)
	dir := t.TempDir()
	real := filepath.Join(built, "plugins", "sandlot-provider-localprocess")
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", shieldEnv, real, os.Args[0])
	if err := os.WriteFile(filepath.Join(dir, "sandlot-provider-localprocess"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	weak := []string{"--plugin-dir", dir}
	running := s.start(append(weak, "run", "--json", "--run-id", "r", "say started\nrun trap '' TERM; while :; do [ -e tool ] || echo x >tool; done")...)
	running.await("started")
	tool := filepath.Join(s.root(), "tool")
	until(t, 20*time.Second, "the tool runs", func() bool { return size(tool) > 0 })

	canceled := s.run(append(weak, "cancel", "r")...)
	for _, want := range []string{"couldn't be ended", " sh ("} {
		if canceled.code == 0 || !strings.Contains(canceled.stderr, want) {
			t.Errorf("cancel: exit code %d, want %q in\n%s", canceled.code, want, clip(canceled.stderr))
		}
	}
	// Whoever looks may drive the run on: none may do it yet with a provider that can.
	told := s.run(append(weak, "runs")...).want(t, 0)
	if !strings.Contains(told.stdout, "running") {
		t.Errorf("runs says %q", told.stdout)
	}

	end := running.ends().want(t, 1)
	if !strings.Contains(end.stderr, "couldn't be ended") {
		t.Errorf("run says:\n%s", clip(end.stderr))
	}

	// With a provider that can, the same command ends it.
	s.run("cancel", "r").want(t, 0)
	until(t, 20*time.Second, "the tree is dead", func() bool { return len(s.tree()) == 0 })
	warned := false
	for _, e := range find(s.run("attach", "--json", "r").want(t, 4).events(t), "CUSTOM", "warning") {
		var w struct{ Code, Text string }
		e.value(&w)
		warned = warned || w.Code == "agent_not_ended" && strings.Contains(w.Text, " sh (")
	}
	if !warned {
		t.Error("the run has no warning of it")
	}
	log, err := os.ReadFile(filepath.Join(s.home, "runs", "r", "driver.log"))
	if err != nil || !strings.Contains(string(log), `msg="process couldn't be ended" plugin=localprocess run=r`) {
		t.Errorf("the log doesn't tell: %v", err)
	}
}
