package main

import (
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type speechKind int

const (
	silent speechKind = iota
	spoken
	thought
)

// speech is the message that is open: of text or of reasoning, never both. The
// protocol has no end of a message, so the next thing of another kind ends it.
type speech struct {
	s       *harness.Session
	kind    speechKind
	id      string
	agentID string // the agent's own id of the message; empty where it has none
}

func (p *speech) say(kind speechKind, agentID, delta string) {
	if p.kind != kind || (agentID != "" && p.agentID != "" && agentID != p.agentID) {
		p.close()
		p.open(kind)
	}
	if agentID != "" {
		p.agentID = agentID
	}
	if kind == spoken {
		p.s.Emit(agui.TextMessageContent{MessageID: p.id, Delta: delta})
	} else {
		p.s.Emit(agui.ReasoningMessageContent{MessageID: p.id, Delta: delta})
	}
}

func (p *speech) open(kind speechKind) {
	p.kind, p.id, p.agentID = kind, p.s.NewID(), ""
	if kind == spoken {
		p.s.Emit(agui.TextMessageStart{MessageID: p.id, Role: "assistant"})
		return
	}
	p.s.Emit(agui.ReasoningStart{MessageID: p.id})
	p.s.Emit(agui.ReasoningMessageStart{MessageID: p.id, Role: "reasoning"})
}

func (p *speech) close() {
	switch p.kind {
	case spoken:
		p.s.Emit(agui.TextMessageEnd{MessageID: p.id})
	case thought:
		p.s.Emit(agui.ReasoningMessageEnd{MessageID: p.id})
		p.s.Emit(agui.ReasoningEnd{MessageID: p.id})
	case silent:
	}
	p.kind = silent
}
