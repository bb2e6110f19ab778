// Package localfiles makes the files of this machine into sandbox.Files, by system
// calls alone. What a path means is told by [Folders]: a provider whose sandboxes
// are folders of this machine serves those and nothing else; a guest, for whom the
// machine is the sandbox, serves all of it ([Machine]).
//
//	func (b *box) Files() sandbox.Files { return localfiles.New(localfiles.Machine{Root: b.root}) }
//
// Every call goes through an os.Root on a folder, so that no link leads out of
// that. A file is written beside its place or without a name (sdk/unseen) and put
// there when it is whole. The members of a pushed stream that lead out of its
// folder, are sparse or are devices are Invalid. A read that follows a file waits
// for the kernel's word (sdk/filetail).
//
// A folder must be readable for its files to be served: leave to pass through it
// alone is not enough.
//
// The package is for providers and guests.
package localfiles
