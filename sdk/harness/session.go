package harness

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// Conn carries the messages of one session. Recv returns io.EOF when the host
// has closed its side. Send may be called while Recv waits.
type Conn interface {
	Recv(ctx context.Context) (ToHarness, error)
	Send(ctx context.Context, m FromHarness) error
}

// Session is a harness's side of one run. It is used by one goroutine.
type Session struct {
	ctx     context.Context //nolint:containedctx // the session is the call
	conn    Conn
	start   *Start
	ids     int
	pending [][]byte
	bytes   int // in pending
	acked   bool
	end     int64
	err     error
}

// Open reads the Start message and returns the session.
func Open(ctx context.Context, conn Conn) (*Session, error) {
	m, err := conn.Recv(ctx)
	if err != nil {
		return nil, fmt.Errorf("receive start: %w", err)
	}
	start, ok := m.(*Start)
	if !ok {
		return nil, fmt.Errorf("receive start: got %T", m)
	}
	return &Session{ctx: ctx, conn: conn, start: start, acked: true}, nil
}

// Start is the message that opened the session.
func (s *Session) Start() *Start { return s.start }

// Next sends the events that were emitted since the last call, then waits for
// the host's next message. io.EOF means that the host has gone.
func (s *Session) Next() (ToHarness, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	m, err := s.conn.Recv(s.ctx)
	if err != nil {
		return nil, err
	}
	if lines, ok := m.(*Lines); ok {
		s.end, s.acked = lines.End, false
	}
	return m, nil
}

// NewID makes an id that is unique in the run and the same on each replay. It
// must be called as a function of the lines only.
func (s *Session) NewID() string {
	s.ids++
	return fmt.Sprintf("%s-%d", s.start.Run, s.ids)
}

// Emit adds an event. It must depend on lines and Exit only. Events leave with
// the next call of Next, Write, Ask or Done; an error is reported there. A long
// delta is cut into several events; an event that is too long all the same is
// replaced by a warning, and the run goes on.
func (s *Session) Emit(e agui.Event) {
	for _, piece := range agui.Split(e, maxDelta) {
		payload, err := agui.Marshal(piece)
		if err != nil {
			s.fail(err)
			return
		}
		if len(payload) > maxEvent {
			s.Emit(agui.NewWarning("event_too_long", fmt.Sprintf(
				"an event of type %s with %d bytes was left out: the most is %d", piece.EventType(), len(payload), maxEvent)))
			continue
		}
		s.pending = append(s.pending, payload)
		s.bytes += len(payload)
		if len(s.pending) >= maxEvents || s.bytes >= maxBytes {
			s.flushEvents()
		}
	}
}

// Bounds of what is sent together.
const (
	maxEvents = 256       // events in one message
	maxBytes  = 1 << 20   // bytes after which a message is sent
	maxDelta  = 256 << 10 // bytes of one delta
	maxEvent  = 64 << 20  // bytes of one encoded event
)

// Provision says what must stand in the sandbox before the agent starts.
func (s *Session) Provision(p Provision) { s.send(&p) }

// Launch says how to start the agent. It is called once, after Provision.
func (s *Session) Launch(l Launch) { s.send(&l) }

// Write sends bytes to the agent's stdin. On replay the host drops them.
func (s *Session) Write(data []byte) {
	s.flushEvents()
	s.send(&Input{Data: data})
}

// CloseInput ends the agent's stdin once the result of its turn is in: an agent
// that serves a connection would live on otherwise. It starts the host's
// after-result clock. On replay the host drops it.
func (s *Session) CloseInput() {
	s.flushEvents()
	s.send(&Input{EOF: true})
}

// Ask wants a decision and returns its id at once.
func (s *Session) Ask(a Ask) string {
	if a.ID == "" {
		a.ID = s.NewID()
	}
	s.flushEvents()
	s.send(&a)
	return a.ID
}

// Withdraw takes an Ask back, whose answer the agent waits for no longer. Like an
// Ask it may depend on lines.
func (s *Session) Withdraw(ask string) {
	s.flushEvents()
	s.send(&Withdraw{Ask: ask})
}

// Done ends the session; Run returns after it.
func (s *Session) Done(r Result) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.send(&Done{Result: r})
	return s.err
}

// flush sends what is pending and, once per Lines, the acknowledgement.
func (s *Session) flush() error {
	if !s.acked {
		s.send(&Events{Payloads: s.pending, JournalEnd: s.end})
		s.pending, s.bytes, s.acked = nil, 0, true
	}
	s.flushEvents()
	return s.err
}

// flushEvents keeps the order of events and other messages without claiming
// that the lines in hand are done.
func (s *Session) flushEvents() {
	if len(s.pending) > 0 {
		s.send(&Events{Payloads: s.pending})
		s.pending, s.bytes = nil, 0
	}
}

func (s *Session) send(m FromHarness) {
	if s.err == nil {
		s.fail(s.conn.Send(s.ctx, m))
	}
}

func (s *Session) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
