package server

import (
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// progress sends reports until it is stopped: a provider may go on reporting
// from a goroutine of its own after the call.
type progress struct {
	mu      sync.Mutex
	stopped bool
}

func (p *progress) report(send func(*pb.Progress) error) func(sandbox.Progress) {
	return func(step sandbox.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.stopped {
			// A report that can't be sent means the host has gone; then ctx ends.
			p.stopped = send(wire.Progress(step)) != nil
		}
	}
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
