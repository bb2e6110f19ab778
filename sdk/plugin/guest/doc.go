// Package guest carries the contract of sdk/sandbox into a sandbox: a small
// program of ours that runs there, the guest, serves its processes and files over
// one stream of bytes, and the provider outside uses them as a
// sandbox.Provider.
//
// It is for providers whose sandboxes can run a program with a stream to its
// stdin and from its stdout, as containers and machines with a shell can. The
// provider then has only to make the sandbox and to open the stream; everything
// that the contract says of processes and files is the guest's.
//
// What a guest answers is not trusted: whoever has the rights of its user can
// stand in its place. Messages are bounded as those of a plugin are, and nobody
// but the sandbox itself is told anything by a wrong answer.
package guest
