package server

import (
	"errors"
	"sync"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// outboxLimit is how much output waits for the host before the process is
// blocked. It is also the largest frame: what gathers while one is being sent
// leaves as the next.
const outboxLimit = 256 << 10

var errOutboxClosed = errors.New("write output: the stream has ended")

// outbox stands between a process that writes and the stream. It keeps the
// order of both outputs, blocks the writer when it is full, and never grows:
// a slow host costs the process time, not the plugin memory.
type outbox struct {
	mu     sync.Mutex
	change sync.Cond
	queue  []piece
	size   int
	spare  []byte // a sent piece's memory, for the next
	ended  bool   // no more will be written
	failed bool   // nobody reads any more
}

type piece struct {
	stderr bool
	data   []byte
}

func newOutbox() *outbox {
	o := &outbox{}
	o.change.L = &o.mu
	return o
}

// writer is one of the process's outputs.
type writer struct {
	box    *outbox
	stderr bool
}

func (w writer) Write(p []byte) (int, error) {
	n := 0
	for len(p) > 0 {
		k, err := w.box.add(w.stderr, p)
		if err != nil {
			return n, err
		}
		n, p = n+k, p[k:]
	}
	return n, nil
}

// add queues as much of p as fits, at least one byte.
func (o *outbox) add(stderr bool, p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size >= outboxLimit && !o.failed && !o.ended {
		o.change.Wait()
	}
	if o.failed || o.ended {
		return 0, errOutboxClosed
	}
	p = p[:min(len(p), outboxLimit-o.size)]
	if last := len(o.queue) - 1; last >= 0 && o.queue[last].stderr == stderr {
		o.queue[last].data = append(o.queue[last].data, p...)
	} else {
		o.queue = append(o.queue, piece{stderr: stderr, data: append(o.spare[:0], p...)})
		o.spare = nil
	}
	o.size += len(p)
	o.change.Broadcast()
	return len(p), nil
}

// next waits for what is queued; false means that all was sent.
func (o *outbox) next() (piece, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.ended && !o.failed {
		o.change.Wait()
	}
	if len(o.queue) == 0 || o.failed {
		return piece{}, false
	}
	p := o.queue[0]
	o.queue = o.queue[1:]
	o.size -= len(p.data)
	o.change.Broadcast()
	return p, true
}

// reuse takes back the memory of a piece that was sent.
func (o *outbox) reuse(p piece) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spare = p.data
}

// end says that the process has written all.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.change.Broadcast()
}

// fail says that nobody reads any more: writers get an error and go on.
func (o *outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed, o.queue, o.size = true, nil, 0
	o.change.Broadcast()
}

// drain sends frames until the box is ended and empty, or a send fails.
func (o *outbox) drain(send func(*pb.StartResponse) error) error {
	for {
		p, ok := o.next()
		if !ok {
			return nil
		}
		frame := &pb.StartResponse{Frame: &pb.StartResponse_Stdout{Stdout: p.data}}
		if p.stderr {
			frame.Frame = &pb.StartResponse_Stderr{Stderr: p.data}
		}
		if err := send(frame); err != nil {
			o.fail()
			return err
		}
		o.reuse(p) // Send has encoded it
	}
}
