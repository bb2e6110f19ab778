// Package authors follows what the documentation tells the author of a plugin:
// the tutorials are run block by block, and a module outside of this repository
// is made, built and looked at. It needs the programs of `make build demo-agent`
// for nothing: it builds its own.
//
// It is for tests alone; nobody imports it.
package authors
