package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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

// Port is the way to one port of a sandbox. It doesn't print the values of its
// headers.
type Port struct {
	// URL begins with http:// or https://. Where it is http and Headers is
	// empty, the address in it takes any protocol over TCP.
	URL string

	// Headers go with every request, where the way is gated; they hold a secret.
	Headers map[string]string

	// Expires is when URL or Headers end to be good; zero: with the sandbox.
	Expires time.Time
}

// CheckPort reports what can be no port, as Invalid. The SDK calls it before
// Port.
func CheckPort(port int) error {
	if port < 1 || port > 65535 {
		return Errorf(Invalid, "find port %d: a port is 1 to 65535", port)
	}
	return nil
}

// String leaves the values of Headers out, so that they reach no log and no
// error.
func (p Port) String() string {
	s := p.URL
	if len(p.Headers) > 0 {
		s += fmt.Sprintf(" with headers %v", slices.Sorted(maps.Keys(p.Headers)))
	}
	if !p.Expires.IsZero() {
		s += " until " + p.Expires.Format(time.RFC3339)
	}
	return s
}

// Format writes String whatever the verb.
func (p Port) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.String())) }

// LogValue is String for log/slog.
func (p Port) LogValue() slog.Value { return slog.StringValue(p.String()) }
