package main

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type speechKind int

const (
	silent speechKind = iota
	spoken
	thought
)

// voice is the agent, or one subagent: who speaks one message at a time.
type voice struct {
	s      *harness.Session
	calls  *calls
	parent string // the CLI's id of the call that started the subagent; empty: the agent

	kind speechKind // of the message that is open
	id   string     // likewise

	message  string      // the CLI's id of the message that is streamed
	streamed []*streamed // its blocks that weren't seen whole yet
}

// streamed is a block that comes in pieces.
type streamed struct {
	index int
	kind  speechKind // silent: a tool call, or what has no translation
	tool  string     // the CLI's id of a tool call
	text  strings.Builder
	ended bool
}

// stream reads a piece of a message.
func (v *voice) stream(e *streamEvent) {
	switch e.Type {
	case "message_start":
		v.end()
		v.message = e.Message.ID
	case "content_block_start":
		v.start(e.Index, &e.Block)
	case "content_block_delta":
		v.delta(e.Index, e.Delta.Type, e.Delta.Text+e.Delta.Thinking+e.Delta.PartialJSON)
	case "content_block_stop":
		if b := v.block(e.Index); b != nil {
			v.stop(b)
		}
	}
}

func (v *voice) start(index int, b *block) {
	v.close()
	piece := &streamed{index: index}
	v.streamed = append(v.streamed, piece)
	switch b.Type {
	case "text":
		piece.kind = spoken
		v.piece(piece, b.Text)
	case "thinking":
		piece.kind = thought
		v.piece(piece, b.Thinking)
	case "tool_use":
		piece.tool = b.ID
		v.calls.start(b.ID, b.Name, v.parent)
	}
}

// delta reads a piece of a block; each kind has its text under another name.
func (v *voice) delta(index int, kind, text string) {
	b := v.block(index)
	if b == nil {
		return
	}
	switch kind {
	case deltaText, deltaThinking:
		v.piece(b, text)
	case deltaInput:
		b.text.WriteString(text)
	}
}

func (v *voice) piece(b *streamed, text string) {
	if b.kind != silent && text != "" {
		b.text.WriteString(text)
		v.say(b.kind, text)
	}
}

func (v *voice) stop(b *streamed) {
	b.ended = true
	if b.tool != "" {
		v.calls.args(b.tool, b.text.String())
		return
	}
	v.close()
}

// block finds the open block of an index: a model may begin a message anew
// without ending the one before.
func (v *voice) block(index int) *streamed {
	for i := len(v.streamed) - 1; i >= 0; i-- {
		if b := v.streamed[i]; b.index == index && !b.ended {
			return b
		}
	}
	return nil
}

// whole reads a block of a message that is there as a whole. What was streamed
// of it isn't said again; what is missing is.
func (v *voice) whole(message string, kind speechKind, text string) {
	if message != "" && message == v.message {
		for i, b := range v.streamed {
			if b.kind != kind {
				continue
			}
			rest, ok := strings.CutPrefix(text, b.text.String())
			if ok && !b.ended && rest != "" {
				v.piece(b, rest)
			}
			if b.ended {
				v.streamed = append(v.streamed[:i:i], v.streamed[i+1:]...)
			} else {
				b.kind = silent // said whole; more pieces of it are none of ours
			}
			return
		}
	}
	v.close()
	if text != "" {
		v.say(kind, text)
		v.close()
	}
}

func (v *voice) say(kind speechKind, delta string) {
	if v.kind != kind {
		v.close()
		v.open(kind)
	}
	if kind == spoken {
		v.s.Emit(agui.TextMessageContent{MessageID: v.id, Delta: delta})
	} else {
		v.s.Emit(agui.ReasoningMessageContent{MessageID: v.id, Delta: delta})
	}
}

func (v *voice) open(kind speechKind) {
	v.kind, v.id = kind, v.s.NewID()
	parent := v.calls.ourID(v.parent)
	if kind == spoken {
		v.s.Emit(agui.TextMessageStart{MessageID: v.id, Role: "assistant", ParentToolCallID: parent})
		return
	}
	v.s.Emit(agui.ReasoningStart{MessageID: v.id, ParentToolCallID: parent})
	v.s.Emit(agui.ReasoningMessageStart{MessageID: v.id, Role: "reasoning", ParentToolCallID: parent})
}

// close ends the open message.
func (v *voice) close() {
	switch v.kind {
	case spoken:
		v.s.Emit(agui.TextMessageEnd{MessageID: v.id})
	case thought:
		v.s.Emit(agui.ReasoningMessageEnd{MessageID: v.id})
		v.s.Emit(agui.ReasoningEnd{MessageID: v.id})
	case silent:
	}
	v.kind = silent
}

// end forgets the message that was streamed.
func (v *voice) end() {
	v.close()
	v.message, v.streamed = "", nil
}
