package server

import (
	"context"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// sandboxes are the open ones of a provider, by id.
type sandboxes struct {
	provider sandbox.Provider

	mu   sync.Mutex
	open map[string]*slot
}

// slot holds one sandbox. Its lock is a channel, so that waiting for another
// call's resume ends with the caller's own context.
type slot struct {
	lock chan struct{}
	sb   sandbox.Sandbox
}

func newSandboxes(p sandbox.Provider) *sandboxes {
	return &sandboxes{provider: p, open: map[string]*slot{}}
}

func (s *sandboxes) slot(id string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.open[id]
	if sl == nil {
		sl = &slot{lock: make(chan struct{}, 1)}
		s.open[id] = sl
	}
	return sl
}

// get returns an open sandbox, or resumes it: once, however many ask.
func (s *sandboxes) get(ctx context.Context, id string) (sandbox.Sandbox, error) {
	if id == "" {
		return nil, sandbox.Errorf(sandbox.Invalid, "find sandbox: the id is empty")
	}
	sl := s.slot(id)
	select {
	case sl.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-sl.lock }()
	if sl.sb != nil {
		return sl.sb, nil
	}
	sb, err := s.provider.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		s.forget(id)
		return nil, err
	}
	sl.sb = sb
	return sb, nil
}

// put keeps a sandbox that was created or resumed on request.
func (s *sandboxes) put(sb sandbox.Sandbox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[sb.ID()] = &slot{lock: make(chan struct{}, 1), sb: sb}
}

func (s *sandboxes) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// info is a sandbox's Info with the flags that types decide.
func (s *sandboxes) info(sb sandbox.Sandbox) sandbox.Info {
	info := sb.Info()
	if info.Capabilities.Disruption == "" { // an author may say it of the provider alone
		info.Capabilities.Disruption = s.provider.Capabilities().Disruption
	}
	info.Capabilities = info.Capabilities.Of(s.provider, sb)
	return info
}
