package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
)

// turn is one prompt being worked on.
type turn struct {
	*session
	agent *agent
	usage *usage // nil until a `usage` instruction
}

// stop ends a turn early, with a stop reason of the protocol.
type stop string

func (s stop) Error() string { return "turn ended: " + string(s) }

// The protocol's stop reasons.
const (
	stopEnd       stop = "end_turn"
	stopCancelled stop = "cancelled"
	stopMaxTokens stop = "max_tokens"
	stopMaxTurns  stop = "max_turn_requests"
	stopRefusal   stop = "refusal"
)

type promptResult struct {
	StopReason stop   `json:"stopReason"`
	Usage      *usage `json:"usage,omitempty"`
}

// prompt begins a turn and returns the work that it is.
func (a *agent) prompt(ctx context.Context, params json.RawMessage) (func() (any, error), error) {
	s, err := a.find(params)
	if err != nil {
		return nil, err
	}
	var req struct {
		Prompt []struct {
			Type     string                `json:"type"`
			Text     string                `json:"text"`
			Resource struct{ Text string } `json:"resource"`
		} `json:"prompt"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	var lines []string
	for _, block := range req.Prompt {
		lines = append(lines, strings.Split(block.Text+block.Resource.Text, "\n")...)
	}

	ctx, ok := s.startTurn(ctx)
	if !ok {
		return nil, &rpcError{codeInvalid, "A prompt is already running in this session"}
	}
	t := &turn{session: s, agent: a}
	return func() (any, error) {
		defer s.endTurn()
		return t.work(ctx, lines)
	}, nil
}

// work carries the prompt out and says how it ended.
func (t *turn) work(ctx context.Context, lines []string) (any, error) {
	t.agent.announce(t.session)
	t.record.add(chunk{chunkUser, text{"text", strings.Join(lines, "\n")}})
	var reason stop
	switch err := t.follow(ctx, lines); {
	case ctx.Err() != nil:
		reason = stopCancelled
	case err == nil:
		reason = stopEnd
	case !errors.As(err, &reason):
		return nil, err
	}
	return promptResult{reason, t.usage}, nil
}

// follow carries out the instructions among lines, one after the other.
func (t *turn) follow(ctx context.Context, lines []string) error {
	found := false
	for _, line := range current(lines) {
		do, ok := parse(line)
		if !ok {
			continue
		}
		found = true
		if err := do(ctx, t); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !found {
		t.say(help())
	}
	return nil
}

// update sends one session/update and keeps it for session/load.
func (t *turn) update(u any) {
	t.record.add(u)
	t.agent.conn.notify("session/update", notification{t.id, u})
}

// say streams a line of the agent's message, word by word like a model.
func (t *turn) say(line string) { t.stream(chunkMessage, line) }

func (t *turn) stream(kind, line string) {
	for _, word := range strings.SplitAfter(line+"\n", " ") {
		t.update(chunk{kind, text{"text", word}})
	}
}

// newCall is a tool call that hasn't been announced.
func newCall(kind, title string, input any) toolCall {
	return toolCall{
		ID: "call-" + strings.ToLower(rand.Text()[:12]), Kind: kind, Title: title, RawInput: input,
	}
}

// begin announces a call as pending.
func (t *turn) begin(call toolCall) {
	call.Update, call.Status = "tool_call", "pending"
	t.update(call)
}

// change sends what changed of a call.
func (t *turn) change(id string, change toolCall) {
	change.Update, change.ID = "tool_call_update", id
	t.update(change)
}

// current are the lines of this turn. A client that couldn't resume a session may
// have put the conversation before them, whose instructions were carried out.
func current(lines []string) []string {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] == "[user, now]" {
			return lines[i+1:]
		}
	}
	return lines
}
