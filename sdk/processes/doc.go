// Package processes runs the commands of a sandbox as process trees of this
// machine: it turns a sandbox.Command into a sandbox.Process, with everything
// that the contract asks of one. Output reaches its writers and waits for them,
// stdin reaches the process, and timeout, output limit, the end of a context,
// Close and the process's own end each end its tree.
//
// [Runner] is a sandbox's Start, Kill and Alive whole: embed it in the type of
// the sandbox. [Place] is what it is made of, for a provider with an environment
// and with refusals of its own.
//
// It is for providers whose sandboxes are processes of this machine; the trees
// are those of sdk/proctree.
package processes
