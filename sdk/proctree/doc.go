// Package proctree starts a process as the root of a tree, marks the tree, and
// later kills, probes or lists all of it, from any process on the machine that
// knows the state directory and the id.
//
// It is for providers whose sandboxes are processes of this machine. It knows
// nothing of sandboxes, runs or plugins: it imports the standard library and
// golang.org/x/sys only, and reports plain errors that its caller classifies.
//
// # How a tree is held together
//
// A started process leads a new session. It is put into a cgroup v2 child of
// its own where one can be made, and two variables in its environment mark it
// and what it starts: SANDLOT_PROC holds the id, SANDLOT_TREE the chain of
// trees it belongs to, outermost first, so that a tree started by a process of
// another tree dies with that one, but not the other way round.
//
// The members of a tree are the union of the cgroup, the session and group of
// the leader, everything marked, every descendant of those and every session
// they opened. A process that clears its environment, opens a session and
// loses its parent is held by the cgroup alone; [Forest.Scope] says whether
// there is one.
//
// # Records
//
// Each id has a record file in <state>/procs while its tree lives: pid, start
// time and boot id, so that a reused pid fools nobody. Start holds a lock on
// the record from before the fork until the pid is written, so a Kill by
// another process during a start waits for it and then wins. The lock is held
// by the open file: if the starter is killed in between, the half-made child
// shares it until its exec has happened, so whoever gets the lock next can
// find the child by its mark.
//
// # Other systems
//
// macOS doesn't show other processes' environments: a tree is the session and
// group of the leader, all descendants, and the sessions that they opened.
//
// On Windows each tree has a job object, which the process enters before its
// first instruction. A bound one ends with its starter; that of another is found
// by name as long as its leader lives, since that holds a handle of it. Beside
// that, pid and creation time of the leader are recorded, and the process table
// is walked by parents, which Windows keeps when a parent has ended. So what is
// missed is a child of an intermediate process that has ended before anybody
// looked, in a detached tree whose leader has ended too.
//
// Both are built and vetted, and have never been run.
//
// # Zombies
//
// The starter reaps each leader itself. It doesn't become a subreaper: then
// every orphan of the tree would be its child, to be reaped by wait(-1), which
// steals the exit codes of other children of the same program, and it would
// still end with the starter. Orphans go to init. A zombie counts as dead, so
// an init that never reaps is no harm here.
package proctree
