package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// session is one conversation in one folder.
type session struct {
	id  string
	cwd string // absolute

	mu       sync.Mutex
	mode     string
	granted  map[string]bool // standing answers: what (see permission.go) to allowed or not
	stopTurn context.CancelFunc
	record   *record // nil where sessions aren't kept

	announced sync.Once
}

func (a *agent) newSession(params json.RawMessage) (any, error) {
	if a.opts.requireAuth && !a.authenticated.Load() {
		return nil, &rpcError{codeAuthRequired, "Authentication required"}
	}
	var req struct {
		CWD string `json:"cwd"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	s, err := a.open("demo-"+strings.ToLower(rand.Text()), req.CWD)
	if err != nil {
		return nil, err
	}
	return map[string]any{"sessionId": s.id, "modes": s.modes()}, nil
}

// loadSession takes a kept session up again and replays it as updates.
func (a *agent) loadSession(params json.RawMessage) (any, error) {
	if a.opts.home == "" {
		return nil, &rpcError{codeNoMethod, "Method not found: session/load"}
	}
	var req struct {
		SessionID string `json:"sessionId"`
		CWD       string `json:"cwd"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	updates, err := readRecord(a.opts.home, req.SessionID)
	if err != nil {
		return nil, err
	}
	s, err := a.open(req.SessionID, req.CWD)
	if err != nil {
		return nil, err
	}
	for _, u := range updates {
		a.conn.notify("session/update", notification{s.id, u})
	}
	return map[string]any{"modes": s.modes()}, nil
}

// open makes the session known. The folder must exist: an agent that starts
// elsewhere than it was told would edit the wrong files.
func (a *agent) open(id, cwd string) (*session, error) {
	if info, err := os.Stat(cwd); !filepath.IsAbs(cwd) || err != nil || !info.IsDir() {
		return nil, &rpcError{codeParams, "cwd must be an existing folder with an absolute path: " + cwd}
	}
	s := &session{id: id, cwd: cwd, mode: modeDefault, granted: map[string]bool{}}
	if a.opts.home != "" {
		var err error
		if s.record, err = openRecord(a.opts.home, id); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.sessions[id]; old != nil {
		old.record.close()
	}
	a.sessions[id] = s
	return s, nil
}

// find returns the session that params name in `sessionId`.
func (a *agent) find(params json.RawMessage) (*session, error) {
	var req struct {
		SessionID string `json:"sessionId"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.sessions[req.SessionID]; ok {
		return s, nil
	}
	return nil, &rpcError{codeNotFound, "Resource not found: " + req.SessionID}
}

// startTurn returns the turn's context, or false if the session already has a turn.
func (s *session) startTurn(ctx context.Context) (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopTurn != nil {
		return nil, false
	}
	ctx, s.stopTurn = context.WithCancel(ctx)
	return ctx, true
}

func (s *session) endTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTurn()
	s.stopTurn = nil
}

func (s *session) cancelTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopTurn != nil {
		s.stopTurn()
	}
}
