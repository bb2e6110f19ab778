//go:build !linux

package runs

// BootID identifies this boot of this machine; empty where it can't be told, so
// that a lease must run out before another driver takes over.
func BootID() string { return "" }

func startTime(int) string { return "" }

func boot() string { return BootID() }
