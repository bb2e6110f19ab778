// Package leakcheck finds out whether a killed process tree is really gone.
//
// It doesn't ask the killer, nor the process table first: each process of the
// test tree writes a heartbeat to a file of its own, and what still grows
// after the kill is a leak. So it works on any sandbox whose files can be
// listed; [Processes], the second opinion, is for this machine only.
//
// It is for tests of providers and of proctree.
package leakcheck
