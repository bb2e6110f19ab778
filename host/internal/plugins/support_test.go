//go:build unix

package plugins_test

import (
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func killPID(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	must(t, err)
	must(t, syscall.Kill(n, syscall.SIGKILL))
}

// eventually polls a cause, 10 s at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 10 s for %s", what)
		}
	}
}

func awaitFile(t *testing.T, pattern string) {
	t.Helper()
	eventually(t, pattern, func() bool {
		list, err := filepath.Glob(pattern)
		return err == nil && len(list) > 0
	})
}
