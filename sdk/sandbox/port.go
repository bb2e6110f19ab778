package sandbox

import (
	"context"
	"time"
)

// Porter is a sandbox whose ports can be reached from outside.
type Porter interface {
	// Port tells how the host reaches what listens on a port of the sandbox, 1
	// to 65535. It doesn't wait for anything to listen there. A port that the
	// sandbox can't open any more, as it had to be declared when it was made, is
	// Invalid, with a hint that says how to declare it.
	Port(ctx context.Context, port int) (Port, error)
}

// Port is the way to one port of a sandbox.
type Port struct {
	// URL begins with http:// or https://. Where it is http and Headers is
	// empty, the address in it takes any protocol over TCP.
	URL string

	// Headers go with every request, where the way is gated; they hold a secret.
	Headers map[string]string

	// Expires is when URL or Headers end to be good; zero: with the sandbox.
	Expires time.Time
}
