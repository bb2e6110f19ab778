// Package store keeps what has to outlive a process: sandboxes, threads, runs with their event logs, approvals and
// leases, in one SQLite file that several processes use at once.
//
// It is the only place where two processes agree on anything. Each rule that keeps them apart (one live run a thread,
// one driver a run, a log without gaps, terminal is terminal) is checked inside the transaction that writes, so it
// holds whatever the callers believe. A driver proves its claim with the run's epoch; once another driver has claimed
// the run, every fenced call of the old one answers [ErrFenced].
//
// Writes of one process go through one goroutine, which commits what is waiting in one transaction (up to 64 pieces of
// work, each in a savepoint of its own). Reads have connections of their own and never wait for a writer.
//
// It isn't a cache, and it decides nothing: when to claim, take over, retry or collect is the business of runs and
// sandboxes. Payloads are stored as given: redact before Append. Secrets don't belong into any row.
//
// A file of another kind of store (PostgreSQL) would stand beside this one and pass the suite in conformance_test.go.
//
// The database file must never be opened and closed by other code of a process that uses a Store: POSIX drops the
// process's locks on a file when any descriptor of it is closed.
//
// Imported by cli, runs and sandboxes. It imports no sibling.
package store
