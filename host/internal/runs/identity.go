package runs

import (
	"context"
	"os"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Self identifies this process as a driver.
func Self() store.Driver {
	pid := os.Getpid()
	return store.Driver{BootID: boot(), PID: pid, StartTime: startTime(pid)}
}

// Gone reports whether a driver's process is known to be gone: it ran on this
// boot of this machine, and its pid is free or somebody else's.
func Gone(d store.Driver) bool {
	if !visible(d) {
		return false
	}
	now := startTime(d.PID)
	return now != "" && now != d.StartTime
}

// visible reports whether a driver's process, if it lives, is one that we see:
// it ran on this boot of this machine, in our namespace of pids.
func visible(d store.Driver) bool {
	return d.BootID != "" && d.BootID == boot() && d.StartTime != ""
}

// Claimant is this process as one that removes sandboxes, outside of a run.
func Claimant() sandboxes.Claimant { return claimant(nil) }

func claimant(still func(context.Context) error) sandboxes.Claimant {
	return sandboxes.Claimant{Process: Self(), Gone: Gone, Still: still}
}
