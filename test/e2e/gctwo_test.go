//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTwoGCsAtOnceRemoveEachSandboxOnce has both find the same sandboxes, and race
// for each.
func TestTwoGCsAtOnceRemoveEachSandboxOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, minimal)
	s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
	const boxes = 4
	for i := range boxes {
		s.run("up", "--thread", fmt.Sprint("t", i)).want(t, 0)
	}
	var group sync.WaitGroup
	var said [2]string
	for i := range said {
		group.Go(func() {
			cmd := s.command(t.Context(), "gc", "--idle", "0s")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("gc: %v: %s", err, out)
			}
			said[i] = string(out)
		})
	}
	group.Wait()
	if n := strings.Count(said[0]+said[1], "removed sandbox"); n != boxes {
		t.Errorf("%d removals are told of, want %d:\n%s\n%s", n, boxes, said[0], said[1])
	}
	if left := s.roots(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if r := s.run("ps").want(t, 0); r.stdout != "" {
		t.Errorf("left: %s", r.stdout)
	}
}

// TestAGCBesideOneThatHangsLeavesItsSandboxAlone has the first stuck in the middle
// of a removal.
func TestAGCBesideOneThatHangsLeavesItsSandboxAlone(t *testing.T) {
	t.Parallel()
	s := newStuck(t)
	first := s.command(t.Context(), "gc", "--idle", "0s")
	first.Env = append(append([]string{}, s.env...), "SANDLOT_FAULT=on")
	var out bytes.Buffer
	first.Stdout, first.Stderr = &out, &out
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, 20*time.Second, "gc removes the sandbox", func() bool {
		_, err := os.Stat(filepath.Join(s.home, "faulty", "destroying"))
		return err == nil
	})
	began := time.Now()
	r := s.run("gc", "--idle", "0s").want(t, 0)
	if took := time.Since(began); strings.Contains(r.stdout, "faulty-") || took > 30*time.Second {
		t.Errorf("after %s it says %q", took, r.stdout)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	s.pluginsGone()
	s.run("gc", "--idle", "0s").want(t, 0)
	if r := s.run("ps").want(t, 0); r.stdout != "" {
		t.Errorf("left: %s", r.stdout)
	}
}
