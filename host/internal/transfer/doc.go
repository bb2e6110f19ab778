// Package transfer copies files and trees between this machine and a sandbox, or
// from one sandbox to another, in the way of `docker cp`.
//
// Neither end is trusted. On this machine all goes through an os.Root: a link is
// copied as a link and never followed, and nothing that a sandbox sends is written
// outside of the folder that was named. Modes (the nine permission bits) and times
// are kept; owners aren't. A file appears under its name when it is whole.
//
// It knows no runs, no store and no plugins: it is handed a sandbox's files. The
// command line imports it.
package transfer
