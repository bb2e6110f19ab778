//go:build unix

// Package plain is a small real provider for the tests of sdk/plugin: its
// sandboxes are folders, its processes are children in groups of their own.
// It finds a process tree by its group only, which is not enough for real use.
package plain
