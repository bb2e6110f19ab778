// Package workspace makes a fresh sandbox ready for an agent: it copies the
// source into it and runs the setup commands. It does so once; a sandbox in which
// that failed is of no use and is removed by whoever made it.
//
// A source is one tar stream from a folder of the host into the sandbox. Nothing
// in that folder is trusted: no link is followed out of it, and what isn't a
// file, folder or link inside of it is refused by name. Nothing in it is run on
// the host either, git included.
//
// A repository is fetched by package gitsource and goes the same way.
//
// Setup commands run in one shell a block, which is fed through its standard
// input and says on its output, with a word that nobody could guess, that a
// command has ended.
//
// The package knows sandboxes and the workspace block; it knows no runs, no
// providers' ways, no store and no secrets: environment and scrubbing are handed
// to it. Package sandboxes uses it, and runs its types.
package workspace
