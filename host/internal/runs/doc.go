// Package runs starts, drives and ends runs: one prompt on a thread, events
// out, one terminal status.
//
// A run is driven by one process, which holds a lease on it and is the only
// writer of its event log. Everything the driver knows it can find again in
// the store and in the journal, so another driver can take over at any moment:
// an attempt at a run is the same code whether it is the first or not.
//
// Readers (attach) follow the event log; cancel requests and answers reach the
// driver through the store. The package prints nothing and reads neither
// environment nor working directory: all of it is handed in through Engine.
package runs
