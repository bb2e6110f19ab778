//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mountsEnv names the test that runs in mounts of its own, builtEnv the folder of
// the programs that it needn't build again.
const (
	mountsEnv = "SANDLOT_E2E_MOUNTS"
	builtEnv  = "SANDLOT_E2E_BUILT"
)

// inOwnMounts runs the test in a process with a mount namespace of its own, so
// that it may mount what it likes, and reports whether this is that process.
func inOwnMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountsEnv) == t.Name() {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	run := func(flags uintptr) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=120s")
		cmd.Env = append(os.Environ(), mountsEnv+"="+t.Name(), builtEnv+"="+built)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | flags, Pdeathsig: syscall.SIGKILL}
		if flags != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		}
		return cmd.CombinedOutput()
	}
	out, err := run(0)
	if err != nil && len(out) == 0 { // it couldn't be started: only root may do this
		out, err = run(syscall.CLONE_NEWUSER)
	}
	if err != nil {
		t.Errorf("in mounts of its own: %v\n%s", err, out)
	}
	return false
}

// small mounts a disk of that many bytes.
func small(t *testing.T, folder string, size int) {
	t.Helper()
	limited(t, folder, "size="+strconv.Itoa(size))
}

// limited mounts a disk with the limits of a tmpfs.
func limited(t *testing.T, folder, limits string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=0700,"+limits); err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
}

// fill leaves no byte of a disk free, and returns what undoes that.
func fill(t *testing.T, folder string) (free func()) {
	t.Helper()
	name := filepath.Join(folder, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := f.Close(); err != nil {
		t.Log(err) // full, as it should be
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// elsewhere has folders of the stage's home lie on another disk than the store.
func (s *stage) elsewhere(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if err := os.Symlink(s.t.TempDir(), filepath.Join(s.home, name)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// driverLog is what the run's drivers have logged so far.
func (s *stage) driverLog() string {
	data, err := os.ReadFile(filepath.Join(s.home, "runs", "r", "driver.log"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(data)
}

const patience = 30 * time.Second
