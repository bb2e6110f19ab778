package main

import (
	"encoding/json"
	"slices"
)

// The modes differ only in when permission is asked.
const (
	modeDefault = "default" // where the instruction says `ask`
	modeAsk     = "ask"     // before every edit and command
	modeAuto    = "auto"    // never
)

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func availableModes() []mode {
	return []mode{
		{modeDefault, "Default", "Asks where the prompt says so"},
		{modeAsk, "Ask", "Asks before every edit and command"},
		{modeAuto, "Auto", "Never asks"},
	}
}

func (s *session) modes() any {
	return map[string]any{"currentModeId": s.currentMode(), "availableModes": availableModes()}
}

func (s *session) currentMode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// switchMode reports whether there is such a mode.
func (s *session) switchMode(id string) bool {
	if !slices.ContainsFunc(availableModes(), func(m mode) bool { return m.ID == id }) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = id
	return true
}

func (a *agent) setMode(params json.RawMessage) (any, error) {
	s, err := a.find(params)
	if err != nil {
		return nil, err
	}
	var req struct {
		ModeID string `json:"modeId"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	if !s.switchMode(req.ModeID) {
		return nil, &rpcError{codeParams, "Unknown mode: " + req.ModeID}
	}
	return struct{}{}, nil
}
