// Package gitignore decides what .gitignore files leave out of a tree, as git
// does: negation, anchored patterns, `**`, character classes, a file in any
// folder, the deepest and last rule first.
//
// It reads no files: whoever walks the tree hands it what stands in each
// .gitignore file. It doesn't descend: a folder that is ignored is to be left out
// with all that is in it, whatever a deeper rule says. Rules from elsewhere (the
// user's own, .git/info/exclude) and the index are unknown to it.
//
// It imports nothing of the project; package workspace may import it.
package gitignore
