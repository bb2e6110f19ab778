package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// heard is what a harness wrote to its agent and wasn't waited for yet, and how
// far it has read.
type heard struct {
	mu      sync.Mutex
	changed chan struct{} // closed, and made anew, at each change
	rest    []byte        // of a line that was written in pieces
	written []envelope
	all     []*harness.Ask
	end     int64
}

func newHeard() *heard { return &heard{changed: make(chan struct{})} }

func (h *heard) message(m harness.FromHarness) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m := m.(type) {
	case *harness.Input:
		h.rest = append(h.rest, m.Data...)
		for {
			i := bytes.IndexByte(h.rest, '\n')
			if i < 0 {
				break
			}
			h.written = append(h.written, envelopeOf(h.rest[:i]))
			h.rest = h.rest[i+1:]
		}
	case *harness.Ask:
		h.all = append(h.all, m)
	case *harness.Events:
		h.end = max(h.end, m.JournalEnd)
	default:
		return
	}
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *heard) asked() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

func (h *heard) asks(from int) []*harness.Ask {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all[from:])
}

// request waits for a request of the harness and returns its id.
func (h *heard) request(p *player, method string) (json.RawMessage, error) {
	return h.wrote(p, "a request "+method, func(e envelope) bool { return e.requests() && e.Method == method })
}

func (h *heard) notification(p *player, method string) error {
	_, err := h.wrote(p, "a notification "+method, func(e envelope) bool { return e.ID == nil && e.Method == method })
	return err
}

func (h *heard) answer(p *player, id string) error {
	_, err := h.wrote(p, "an answer to the agent's request "+id, func(e envelope) bool { return e.answers() && string(e.ID) == id })
	return err
}

// wrote waits for a message of the harness's and takes it.
func (h *heard) wrote(p *player, what string, is func(envelope) bool) (json.RawMessage, error) {
	var id json.RawMessage
	err := h.wait(p, what, func() bool {
		i := slices.IndexFunc(h.written, is)
		if i < 0 {
			return false
		}
		id = h.written[i].ID
		h.written = slices.Delete(h.written, i, i+1)
		return true
	})
	return id, err
}

// read waits until the harness has read the agent's output up to end.
func (h *heard) read(p *player, end int64) error {
	return h.wait(p, fmt.Sprintf("the end of reading %d bytes", end), func() bool { return h.end >= end })
}

// wait waits until is holds; is is called under the lock.
func (h *heard) wait(p *player, what string, is func() bool) error {
	for {
		h.mu.Lock()
		ok, changed := is(), h.changed
		h.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-p.over:
			return fmt.Errorf("wait for %s: the harness has ended", what)
		case <-p.ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, p.ctx.Err())
		}
	}
}
