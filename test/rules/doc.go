// Package rules holds the house's rules about its own code, as tests: who may
// import whom, how packages are named and documented, how long a file may be.
// It has no code of its own and nobody imports it.
package rules
