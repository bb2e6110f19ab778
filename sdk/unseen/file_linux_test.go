package unseen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNobodySeesAFileThatIsNotWhole(t *testing.T) {
	t.Setenv("TMPDIR", "/dev/shm") // a tmpfs, which has such files
	dir := t.TempDir()
	f := begin(t, dir, "file")
	defer f.Close()
	if diff := cmp.Diff([]string{}, names(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
