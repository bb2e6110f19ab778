package runs

import (
	"os"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Self identifies this process as a driver.
func Self() store.Driver {
	pid := os.Getpid()
	return store.Driver{BootID: BootID(), PID: pid, StartTime: startTime(pid)}
}

// Gone reports whether a driver's process is known to be gone: it ran on this
// boot of this machine, and its pid is free or somebody else's.
func Gone(d store.Driver) bool {
	if d.BootID == "" || d.BootID != BootID() || d.StartTime == "" {
		return false
	}
	return startTime(d.PID) != d.StartTime
}
