// Package journal keeps the raw bytes of a run inside the sandbox, so that an
// agent outlives its driver and a successor can read all of it again.
//
// A run has one folder, StateDir/runs/<run>, of mode 0700:
//
//	started/  made by the wrapper before the agent starts; a second wrapper that
//	          finds it ends at once, so starting twice is safe
//	in        the prompt, where it is given as standard input
//	out, err  what the agent printed, appended by the agent itself
//	exit      its exit code, in one rename, once it has ended
//
// What the agent prints is never searched for an ending, and the exit file
// alone proves nothing, since the agent could write it: a run is finished when
// the file is there and the provider says that the process is gone.
//
// The package knows sandboxes and files, not runs, harnesses or the store.
package journal
