// Package reserve keeps a little room on the disk of the host's folder, so that
// what makes room can do its work where there is none left: a store can't note
// that a sandbox goes without writing that down first.
//
// [Keep] makes the reserve, a folder of a few files: they are bytes, and also
// entries of a file system that ran out of those. [Use] gives it up if nothing
// more can be written. It is no lock and no promise: whoever fills the disk may
// take what was given up. The CLI may import it; it imports nothing.
package reserve
