package main

import "runtime/debug"

// Nearly all that a line leaves behind is garbage at once, and little lives on: the
// collector needn't run each few megabytes. From the limit on it does as before, so
// that a line of many megabytes doesn't take a multiple of what is needed for it.
const (
	gcPercent   = 400
	memoryLimit = 192 << 20 // bytes
)

func collectLate() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
}
