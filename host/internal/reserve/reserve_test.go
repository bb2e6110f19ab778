package reserve_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/reserve"
)

// names are what a folder holds.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestAReserveIsKeptOnceAndLeavesNothingElse(t *testing.T) {
	home := t.TempDir()
	for range 2 {
		if err := reserve.Keep(home); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"reserve"}, names(t, home)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if got := names(t, filepath.Join(home, "reserve")); len(got) != 32 {
		t.Errorf("it has %d files: %q", len(got), got)
	}
}

func TestAReserveStaysWhereThereIsRoom(t *testing.T) {
	home := t.TempDir()
	if err := reserve.Keep(home); err != nil {
		t.Fatal(err)
	}
	if full, err := reserve.Use(home); full || err != nil {
		t.Errorf("got %v, %v", full, err)
	}
	if diff := cmp.Diff([]string{"reserve"}, names(t, home)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAReserveNeedsAFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "none")
	if err := reserve.Keep(home); err == nil {
		t.Error("it was kept nowhere")
	}
	if full, err := reserve.Use(home); full || err != nil {
		t.Errorf("a folder that isn't there counts as full: %v, %v", full, err)
	}
}
