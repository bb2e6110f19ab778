package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestASocketOfAnother runs as another user: that needs root.
func TestASocketOfAnother(t *testing.T) {
	if os.Getenv("SANDLOT_TEST_SOCKET") == "" {
		t.Parallel()
		binary := filepath.Join(t.TempDir(), "test")
		self, err := os.ReadFile("/proc/self/exe")
		if err == nil {
			err = os.WriteFile(binary, self, 0o755) //nolint:gosec // a program for another user
		}
		for dir := filepath.Dir(binary); err == nil && dir != os.TempDir(); dir = filepath.Dir(dir) {
			err = os.Chmod(dir, 0o755) //nolint:gosec // another user goes through
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestASocketOfAnother$")
		cmd.Env = append(os.Environ(), "SANDLOT_TEST_SOCKET=1", "DOCKER_CONFIG=/nonexistent")
		cmd.Dir = os.TempDir()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	p := openProvider(t, config{Image: imageBusybox})
	_, err := p.Create(t.Context(), request(p, sandbox.Network{}))
	mustSay(t, err, sandbox.Denied, "", "group docker", "DOCKER_HOST")
}
