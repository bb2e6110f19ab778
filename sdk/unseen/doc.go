// Package unseen writes files that have no name until they are whole. Whoever
// looks sees the old file or the new, and where the system can (Linux, on most
// file systems) a process that is killed in between leaves nothing behind: a file
// without a name goes with its last descriptor. Elsewhere it has another name
// meanwhile, beside its own, which stays then.
//
//	f, err := unseen.Create(root, "dir/file")
//	defer f.Close()
//	_, err = io.Copy(f, r)
//	err = f.Place(time.Time{})
//
// All goes through an os.Root, so that no link leads out of it. It doesn't sync:
// it guards against ends of processes, not of machines. Providers that write to
// this machine's files may use it, and the host does.
package unseen
