package recovery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	strayGrace    = 500 * time.Millisecond // from TERM to KILL
	settleTimeout = 30 * time.Second       // for a start and the kills, where no context bounds them
)

// stray is a process that isn't detached and whose end wasn't seen.
type stray struct{ sandbox, process string }

// strays are those of all of a plugin's processes, with the one that started
// them. A plugin ends its own when it is let go of; one that died can't.
type strays struct {
	mu   sync.Mutex
	open map[stray]*life
}

func (s *strays) add(one stray, of *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[stray]*life{}
	}
	s.open[one] = of
}

// drop forgets one that the given life started.
func (s *strays) drop(one stray, of *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[one] == of {
		delete(s.open, one)
	}
}

// owner is who started one that is still open; nil: it isn't.
func (s *strays) owner(one stray) *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[one]
}

func (s *strays) any(of *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, owner := range s.open {
		if owner == of {
			return true
		}
	}
	return false
}

// end ends what earlier lives have left, by means of l. What can't be ended stays.
func (s *strays) end(ctx context.Context, l *life) {
	s.mu.Lock()
	var left []stray
	for one, owner := range s.open {
		if owner != l {
			left = append(left, one)
		}
	}
	s.mu.Unlock()
	for _, one := range left {
		if l.Err() != nil {
			return
		}
		_ = s.endOne(ctx, l, one)
	}
}

func (s *strays) endOne(ctx context.Context, l *life, one stray) error {
	owner := s.owner(one)
	if owner == nil {
		return nil
	}
	sb, err := l.Resume(ctx, sandbox.ResumeRequest{ID: one.sandbox})
	if err == nil {
		err = sb.Kill(ctx, one.process, strayGrace)
	}
	if err != nil && !errors.Is(err, sandbox.Gone) {
		return err
	}
	s.drop(one, owner)
	return nil
}

// settle makes sure that nothing is left of a process whose plugin died under it,
// and tells that with the error that was met.
func (p *Provider) settle(ctx context.Context, one stray, met error) error {
	l, err := p.current(ctx)
	if err == nil {
		err = p.strays.endOne(ctx, l, one)
	}
	if err != nil {
		return sandbox.Errorf(sandbox.Unavailable, "%w; what was left of it may still run in sandbox %s: %w", met, one.sandbox, err)
	}
	return sandbox.Errorf(sandbox.Unavailable, "%w; what was left of it was ended", met)
}
