// Package gitbox runs git in a sandbox for the person who owns it: status, add,
// commit, branch, push and pull.
//
// What an agent may have written decides nothing while the source's token is in
// the sandbox. Pushing and fetching are done by a git folder of our own in the
// sandbox, which borrows the workspace's objects and none of its configuration:
// no hook, filter, helper, proxy or other URL of the agent's is heard. The URL is
// the source's, whatever origin says now. The token is in the environment of that
// one command, and in nothing that stays. What runs the agent's own configuration
// (looking at the repository, merging) runs before and after, without the token.
//
// What this can't hold: whoever may read the processes of the user that git runs
// as, or replaces the git program itself, can have the token while the command
// lasts. See docs/configuration.md.
//
// The package knows sandboxes by a function that runs a command. It imports
// package gitsource, its neighbour, and of the rest nothing; package runs uses it.
package gitbox
