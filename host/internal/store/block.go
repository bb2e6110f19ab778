package store

import "bytes"

// One row holds at most this much of what an agent streams. A statement costs ten times what a token takes, and a file
// with a row for each token is twice as big.
const (
	blockEvents = 256
	blockBytes  = 64 << 10
)

// block is a run of events of the agent that share a row: their payloads are its lines. seq, journal and hash of the
// row are the last event's; what is committed together is never needed in part.
type block struct {
	last    Event // its payload is all of them
	events  int
	hasRoom bool
}

// blocks cuts events into those that share a row. The payloads aren't changed.
func blocks(events []Event) []block {
	var all []block
	for _, e := range events {
		plain := e.Source == Agent && e.Whole == nil && len(e.Payload) > 0 && bytes.IndexByte(e.Payload, '\n') < 0
		if len(all) > 0 && plain && all[len(all)-1].add(e) {
			continue
		}
		all = append(all, block{last: e, events: 1, hasRoom: plain})
	}
	return all
}

// add takes an event in, if it fits.
func (b *block) add(e Event) bool {
	size := len(b.last.Payload) + 1 + len(e.Payload)
	if !b.hasRoom || b.events == blockEvents || size > blockBytes || e.Offset != b.last.Offset || !e.Time.Equal(b.last.Time) {
		return false
	}
	joined := b.last.Payload
	if b.events == 1 { // it is still the caller's
		joined = append(make([]byte, 0, max(4*size, 4<<10)), joined...)
	}
	joined = append(append(joined, '\n'), e.Payload...)
	b.last, b.events = e, b.events+1
	b.last.Payload = joined
	return true
}

// apart are the events of a row; only the last one has a hash.
func (b *block) apart() []Event {
	if b.events == 1 {
		return []Event{b.last}
	}
	all := make([]Event, 0, b.events)
	for payload := range bytes.SplitSeq(b.last.Payload, []byte("\n")) {
		e := b.last
		e.Seq, e.Payload = b.last.Seq-int64(b.events-1-len(all)), payload[:len(payload):len(payload)]
		if len(all) < b.events-1 {
			e.Hash = nil
		}
		all = append(all, e)
	}
	return all
}
