// Package shellfs makes the files of a sandbox out of its shell: a provider that
// can start commands, but has no file API, has sandbox.Files in one line.
//
//	func (b *box) Files() sandbox.Files { return shellfs.New(b) }
//
// # What the sandbox needs
//
// sh (dash, bash and the ash of BusyBox are tried), and stat, find, dd, cat, head,
// mv, rm, mkdir and chmod of coreutils or BusyBox; Pull and Push need tar too.
// Where a program is missing, the call is Unsupported and names it. Those of macOS
// and BSD don't understand the options.
//
// # What holds
//
// All that sandbox.Files says. Each call is one command. Content goes through
// stdin and stdout in pieces, never through arguments, and a call that is cut off
// is never taken for a whole one: a write renames only after a mark at the end of
// its stdin, an answer counts only with its mark and exit code 0. Temporary names
// begin with .sandlot- and are removed also after a kill, unless the sandbox can't
// be reached any more.
//
// Without isolation (Info.Isolation is none) the folders Root, Home and StateDir
// alone are served, and a link out of them is Denied. Otherwise everything is: it
// is the sandbox's own. Scripts run as the sandbox's user, so somebody inside who
// wins a race against one gets nothing that he didn't have.
//
// What the sandbox answers is not trusted: answers are bounded and parsed as
// the words of an enemy. What is pushed is looked through before it is sent:
// members that lead out, go through links, are sparse or are devices are Invalid.
// A pushed folder is writable for its owner; one that is there keeps its mode.
//
// A path may be longer than the 4096 bytes that Linux takes at once, as long as its
// folders can be entered one by one; BusyBox's rm and tar don't go as deep.
//
// The package imports sdk/sandbox only. It is for providers.
package shellfs
