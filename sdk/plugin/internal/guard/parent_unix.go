//go:build unix

package guard

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// every is how often the parent is looked at. On Linux the death signal set by
// the host comes sooner; this catches the host that died before it took effect,
// a start through a wrapper, and other systems.
const every = 250 * time.Millisecond

// Wait returns true when the host has died, false when ctx has ended.
func (p Parent) Wait(ctx context.Context) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for !p.dead() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (p Parent) dead() bool {
	if os.Getppid() != p.pid {
		return true
	}
	return p.host != 0 && unix.Kill(p.host, 0) == unix.ESRCH
}
