// Package forward serves a port of a sandbox on the loopback of this machine: bytes as
// they are where the way there is plain, else through a proxy for HTTP that adds what
// the way is gated by.
//
// It knows a port's URL, headers and expiry, and nothing of sandboxes. The CLI may
// import it; it prints nothing, and reads no environment.
package forward
