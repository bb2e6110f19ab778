package harnesstest

import (
	"io"
	"sync"
)

// stdin holds what goes to the agent until the agent takes it, so that neither
// the harness nor the reader of its messages waits for the agent.
type stdin struct {
	mu      sync.Mutex
	changed *sync.Cond
	data    []byte
	eof     bool
}

func newStdin() *stdin {
	s := &stdin{}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *stdin) add(data []byte, eof bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, data...)
	s.eof = s.eof || eof
	s.changed.Signal()
}

// stop ends the pump.
func (s *stdin) stop() { s.add(nil, true) }

// pump writes to w until the end, and closes it. An agent that doesn't read any
// more isn't an error: its exit says what happened.
func (s *stdin) pump(w io.WriteCloser) {
	defer func() { _ = w.Close() }()
	for {
		s.mu.Lock()
		for len(s.data) == 0 && !s.eof {
			s.changed.Wait()
		}
		data, eof := s.data, s.eof
		s.data = nil
		s.mu.Unlock()
		if len(data) > 0 {
			if _, err := w.Write(data); err != nil {
				return
			}
			continue
		}
		if eof {
			return
		}
	}
}
