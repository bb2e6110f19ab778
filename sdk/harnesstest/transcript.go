package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Transcript is one session of some client with a real agent, in the order in
// which it happened. The agent speaks JSON-RPC, one message a line.
type Transcript []Spoken

// Spoken is one message of a transcript.
type Spoken struct {
	ByAgent bool
	JSON    json.RawMessage // one line, without its end
}

// The directions that ReadTranscript knows.
const (
	byAgent  = "agent>client"
	byClient = "client>agent"
)

// ReadTranscript reads lines of {"dir": ..., "msg": ...}, where dir is
// "agent>client" or "client>agent"; lines with another dir are notes and are
// left out.
func ReadTranscript(data []byte) (Transcript, error) {
	var out Transcript
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var l struct {
			Dir string          `json:"dir"`
			Msg json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("read line %d of transcript: %w", n, err)
		}
		if l.Dir != byAgent && l.Dir != byClient {
			continue
		}
		if len(l.Msg) == 0 {
			return nil, fmt.Errorf("read line %d of transcript: it has no msg", n)
		}
		out = append(out, Spoken{ByAgent: l.Dir == byAgent, JSON: l.Msg})
	}
	return out, nil
}

// Before cuts a transcript before the client's nth message of a method; counted
// from 1. A transcript without it stays whole.
func (t Transcript) Before(method string, n int) Transcript {
	for i, s := range t {
		if s.ByAgent || envelopeOf(s.JSON).Method != method {
			continue
		}
		if n--; n == 0 {
			return t[:i]
		}
	}
	return t
}

// envelope is what makes a message a request (method and id), a notification
// (method) or an answer (id).
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
}

// envelopeOf reads what it can: a line that is no message has none of it.
func envelopeOf(line []byte) envelope {
	var e envelope
	if json.Unmarshal(line, &e) != nil {
		return envelope{}
	}
	if string(e.ID) == "null" {
		e.ID = nil
	}
	return e
}

func (e envelope) answers() bool  { return e.Method == "" && e.ID != nil }
func (e envelope) requests() bool { return e.Method != "" && e.ID != nil }

// withID gives a message another id and leaves the rest of its members as they
// are.
func withID(line []byte, id json.RawMessage) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, fmt.Errorf("map id: %w", err)
	}
	members["id"] = id
	return json.Marshal(members)
}
