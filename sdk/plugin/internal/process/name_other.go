//go:build !linux

package process

// Space names the namespace that this process's id belongs to; there is one.
func Space() string { return "" }
