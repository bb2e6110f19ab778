//go:build !linux

package filetail

import (
	"context"
	"os"
	"time"
)

// watch tells when a file may have changed: every few milliseconds.
type watch struct{}

func newWatch(*os.File) *watch { return &watch{} }

func (*watch) wait(ctx context.Context, ended <-chan struct{}) error {
	t := time.NewTimer(4 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (*watch) close() {}
