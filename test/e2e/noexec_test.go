//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAPluginOnADiskWithoutProgramsIsToldOf has a disk that is mounted noexec from
// the start, and one that is after the plugin was used: what is kept of it from
// then is no leave to run it.
func TestAPluginOnADiskWithoutProgramsIsToldOf(t *testing.T) {
	t.Parallel()
	if !inOwnMounts(t) {
		return
	}
	s := newStage(t, minimal)
	disk := filepath.Join(t.TempDir(), "disk")
	limited(t, disk, "size=64m")
	data, err := os.ReadFile(filepath.Join(built, "plugins", "sandlot-provider-localprocess"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(disk, "sandlot-provider-localprocess")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "SANDLOT_PLUGIN_DIR="+disk)
	noexec := func(flags uintptr) {
		if err := unix.Mount("", disk, "", unix.MS_REMOUNT|flags, "mode=0700,size=64m"); err != nil {
			t.Fatal(err)
		}
	}
	const why = "it may not be executed by this user: its file system may be mounted noexec"
	noexec(unix.MS_NOEXEC)
	for _, args := range [][]string{{"validate"}, {"plan"}, {"run", "say hi"}, {"up"}} {
		r := s.run(args...)
		if told := r.stdout + r.stderr; r.code == 0 || !strings.Contains(told, "describe "+path+": "+why) {
			t.Errorf("%v exits with %d and says %q", args, r.code, told)
		}
	}
	noexec(0)
	if err := os.MkdirAll(s.home, 0o700); err != nil { // a run makes it, a validate doesn't
		t.Fatal(err)
	}
	until(t, patience, "the plugin's description is kept", func() bool {
		s.run("validate").want(t, 0)
		kept, err := filepath.Glob(filepath.Join(s.home, "cache", "plugins", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range kept {
			if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), path) {
				return true
			}
		}
		return false
	})
	noexec(unix.MS_NOEXEC)
	s.run("validate").want(t, 0) // its schema is known
	r := s.run("up").want(t, 1)
	if !strings.Contains(r.stderr, "start sandlot-provider-localprocess: "+why) {
		t.Errorf("up says %q", r.stderr)
	}
	if rows := s.run("ps").stdout; rows != "" {
		t.Errorf("up left %s", rows)
	}
}
