//go:build unix

package shellfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// onEach runs a test in each shell.
func onEach(t *testing.T, test func(t *testing.T, b *box)) {
	t.Helper()
	for _, s := range shells(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newBox(t, s))
		})
	}
}

func TestATimeHasItsFractionOfASecond(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		path := filepath.Join(b.Root, "file")
		want := time.Unix(1_700_000_000, 123_456_789)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, want, want)); err != nil {
			t.Fatal(err)
		}
		got, err := b.Files().Stat(t.Context(), "file")
		if err != nil || !got.ModTime.Equal(want) {
			t.Errorf("%v, %v; want %v", got.ModTime, err, want)
		}
	})
}
