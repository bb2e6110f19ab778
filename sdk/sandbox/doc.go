// Package sandbox is the contract between the host and a provider: what a
// provider must do, the values that cross the wire, and the closed set of
// error classes.
//
// A provider owns one isolation primitive (a process tree, a container, a
// remote machine) and makes sandboxes of it. It never knows about runs,
// prompts or agents: it gives processes and files. The same interface stands
// on both sides of the wire: a plugin implements [Provider], the host holds a
// client of it.
//
// The package holds no transport and imports nothing of the project. Everybody
// may import it.
package sandbox
