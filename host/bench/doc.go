//go:build linux

// Command bench is `make bench`: how fast the whole is, each figure beside the
// raw limit, measured in turn with it on the same machine, and the goal beside
// both. A table goes to stdout, the same as JSON to a file.
//
// What is measured goes through the whole path: the built plugin programs over
// go-plugin with AutoMTLS and, where a row says so, the built sandlot. The
// program is also the agent that some rows run.
//
// It is no test: nothing fails because a figure is bad. The benchmarks beside
// the code (go test -bench) are for work on one package. Nobody imports it.
package main
