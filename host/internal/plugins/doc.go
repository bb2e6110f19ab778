// Package plugins finds plugin programs, decides which may be run, asks what
// they are, and starts their processes.
//
// It reads no environment by itself: the folders to search and the environment
// to pass on are given. It knows nothing of configuration files or runs.
//
// The command line, the runs and the sandboxes import it; it imports the SDK
// only.
package plugins
