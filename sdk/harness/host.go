package harness

import "context"

// Host is the host's side of one session.
type Host interface {
	// Send gives a message to the harness. It may block while the harness is
	// behind; it may be called while Recv waits.
	Send(ctx context.Context, m ToHarness) error
	// Recv waits for the harness's next message. After Done it returns io.EOF;
	// a harness that returned without Done or crashed gives an error.
	Recv(ctx context.Context) (FromHarness, error)
	// Close ends the session.
	Close() error
}
