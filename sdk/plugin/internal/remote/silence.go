package remote

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// silence tells for how long a command's stream has been waited for in vain.
// While its output is written out nobody waits for it.
type silence struct {
	since  atomic.Pointer[time.Time] // nil: nobody waits
	gaveUp atomic.Bool
}

func (s *silence) begins() {
	now := time.Now()
	s.since.Store(&now)
}

func (s *silence) ends() { s.since.Store(nil) }

// lasts reports whether it has lasted that long.
func (s *silence) lasts(long time.Duration) bool {
	since := s.since.Load()
	return since != nil && time.Since(*since) >= long
}

// listen ends the stream of a command that has ended although its stream goes on:
// the exit comes after the last output, and nothing holds it up. A silence alone
// says nothing, as a command may be silent for days; nor does a plugin that
// doesn't know.
func (p *process) listen(ctx context.Context) {
	long := p.sb.Timeouts.Silence
	tick := time.NewTicker(long)
	defer tick.Stop()
	for ended := false; ; {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		if !p.silence.lasts(long) {
			ended = false
			continue
		}
		if ended { // and for one more silence nothing came
			p.silence.gaveUp.Store(true)
			p.cancel()
			return
		}
		alive, err := p.sb.Alive(ctx, p.cmd.ID)
		ended = err == nil && alive == sandbox.AliveNo
	}
}
