//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crowd leaves a disk room for no more files.
func crowd(t *testing.T, folder string) {
	t.Helper()
	for i, err := 0, error(nil); err == nil; i++ {
		err = os.Mkdir(filepath.Join(folder, fmt.Sprintf("filler-%d", i)), 0o700)
	}
}

// TestRoomIsMadeOnADiskThatIsFull has the disk with all that the host keeps take
// nothing more: the verbs that make room work all the same, the others say which
// those are.
func TestRoomIsMadeOnADiskThatIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		limit string
		spoil func(t *testing.T, home string)
	}{
		{"of bytes", "size=12m", func(t *testing.T, home string) { fill(t, home) }},
		{"of files", "size=64m,nr_inodes=300", crowd},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !inOwnMounts(t) {
				return
			}
			s := newMinimal(t)
			limited(t, s.home, c.limit)
			a := strings.TrimSpace(s.run("up", "--thread", "a").want(t, 0).stdout)
			b := strings.TrimSpace(s.run("up", "--thread", "b").want(t, 0).stdout)
			c.spoil(t, s.home)
			for _, args := range [][]string{{"exec", b, "--", "echo", "hi"}, {"up", "--thread", "c"}, {"run", "say hi"}, {"gc", "--dry-run"}} {
				if r := s.run(args...); r.code == 0 || !strings.Contains(r.stderr, "disk is full") || !strings.Contains(r.stderr, "sandlot gc --idle 1m") {
					t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
				}
			}
			if r := s.run("destroy", a).want(t, 0); r.stdout != "sandbox "+a+" is destroyed\n" {
				t.Errorf("destroy says %q", r.stdout)
			}
			if r := s.run("gc", "--idle", "0s").want(t, 0); !strings.Contains(r.stdout, "removed sandbox "+b) {
				t.Errorf("gc says %q", r.stdout)
			}
			if left := s.roots(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if r := s.run("ps").want(t, 0); r.stdout != "" {
				t.Errorf("left: %s", r.stdout)
			}
			fillers, err := filepath.Glob(filepath.Join(s.home, "filler*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range fillers {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			s.run("up", "--thread", "a").want(t, 0)
			if _, err := os.Stat(filepath.Join(s.home, "reserve")); err != nil {
				t.Errorf("there is no reserve for the next time: %v", err)
			}
			s.run("gc", "--idle", "0s").want(t, 0)
		})
	}
}
