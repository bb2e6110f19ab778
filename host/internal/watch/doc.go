// Package watch tells what an agent changed in its workspace: a git patch
// between the tree that was there when the agent began and the one it left.
//
// Git runs inside the sandbox, in folders of ours under StateDir/diffs, never
// in a repository that an agent may have written: no configuration, hook,
// filter, external diff or monitor of such a one is ever honoured, and each
// repository nested in the workspace is left out by its literal path.
//
// An agent may write to StateDir too. So what happens at the end starts from a
// new folder with a name that nobody could know, takes nothing from the
// baseline but objects, and takes those only by their content: an object that
// isn't what its name says is missing. Hashes of the rest are kept by the
// caller, with the baseline's name.
//
// The patch holds bytes as they are in the files, whatever .gitattributes say,
// and leaves out what the workspace's ignore rules leave out, unless the
// repository or the baseline tracks it.
//
// The package knows sandboxes, not runs, harnesses or the store. Imported by
// runs.
package watch
