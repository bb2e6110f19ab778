// Package gc collects what nobody needs any more: idle sandboxes, snapshots of no use, what killed
// processes have left, old copies of journals, crash reports, copies of
// repositories.
//
// It never takes what has an unknown owner, what a live run or command uses, or
// what a provider has that gives no answer. It may be killed at any point, and
// run beside itself and beside everything else. What it has done, and what it
// would do, it tells by a callback. The CLI may import it; it prints nothing.
package gc
