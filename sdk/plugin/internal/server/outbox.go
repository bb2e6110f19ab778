package server

import (
	"bytes"
	"errors"
	"sync"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// outboxLimit is the largest frame of output, and how much waits for the frame
// that says that the process exists.
const outboxLimit = 256 << 10

// frameCost is about what a frame that waits costs beside its bytes.
const frameCost = 256

var errOutboxClosed = errors.New("write output: the stream has ended")

// outbox puts what a process writes on its stream. It keeps the order of both
// outputs and holds nothing back: a write returns when gRPC has taken it, which
// waits for the host. So a slow host costs the process time, not the plugin
// memory.
type outbox struct {
	send func(*pb.StartResponse) error

	mu     sync.Mutex
	change sync.Cond
	begun  bool                // the first frame was sent
	early  []*pb.StartResponse // what is written before it
	size   int                 // what those take, in bytes
	ended  bool                // nothing more is sent
}

func newOutbox(send func(*pb.StartResponse) error) *outbox {
	o := &outbox{send: send}
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
	for n < len(p) {
		part := p[n:min(len(p), n+outboxLimit)]
		if err := w.box.put(w.stderr, part); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

func outputFrame(stderr bool, p []byte) *pb.StartResponse {
	if stderr {
		return &pb.StartResponse{Frame: &pb.StartResponse_Stderr{Stderr: p}}
	}
	return &pb.StartResponse{Frame: &pb.StartResponse_Stdout{Stdout: p}}
}

// put sends p, or keeps a copy where that is too early.
func (o *outbox) put(stderr bool, p []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.begun && !o.ended && o.size+len(p) > outboxLimit {
		o.change.Wait()
	}
	switch {
	case o.ended:
		return errOutboxClosed
	case !o.begun:
		o.early = append(o.early, outputFrame(stderr, bytes.Clone(p)))
		o.size += len(p) + frameCost
		return nil
	}
	return o.sent(outputFrame(stderr, p)) // it is encoded when this returns
}

// begin sends the first frame and what came too early.
func (o *outbox) begin(first *pb.StartResponse) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.change.Broadcast()
	o.begun = true
	err := o.sent(first)
	for i := 0; i < len(o.early) && err == nil; i++ {
		err = o.sent(o.early[i])
	}
	o.early = nil
	return err
}

// sent sends one frame. After a failure there is nobody to send to.
func (o *outbox) sent(f *pb.StartResponse) error {
	err := o.send(f)
	o.ended = o.ended || err != nil
	return err
}

// end lets nothing more be sent. Writers get an error and go on; one whose frame
// is under way is waited for.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.change.Broadcast()
}
