// Package gitsource fetches a repository on the host and writes what a sandbox
// gets of it, work tree and .git folder, as one tar stream.
//
// It runs the git program, and nothing else: with a configuration of its own
// alone, without hooks, filters, prompts and the person's own settings, and
// never in a folder that somebody else may have written. No work tree is made
// on the host. File names, links and content go from git's objects into the
// stream, so that nothing in a repository is ever opened, followed or run here.
//
// Each repository has a bare mirror in the cache folder, so that a commit that
// was fetched once needs no network, and a branch only one question. A mirror is
// locked while it is used; one that is damaged is thrown away and made anew.
//
// A token is handed to git by environment and a credential helper that is told to
// git by environment too, for the repository's own host alone: it stands in no
// argument, URL, configuration or file.
//
// The package knows no configuration language, no store and no secrets' sources:
// cache folder, environment and token are handed to it. It imports sdk/sandbox
// for its error classes; package workspace uses it, and runs its Prune.
package gitsource
