//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// message is as much of the Agent Client Protocol as both ends here need.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

const session = "bench"

// update is a piece of what the agent says.
type update struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		SessionUpdate string `json:"sessionUpdate"`
		Content       struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"update"`
}

func said(text string) update {
	u := update{SessionID: session}
	u.Update.SessionUpdate, u.Update.Content.Type, u.Update.Content.Text = "agent_message_chunk", "text", text
	return u
}

// agent is an ACP agent that answers a prompt with so many lines, each the time
// at which it is written, in nanoseconds, one every so many milliseconds.
func agent(in io.Reader, out io.Writer, lines, every int) error {
	w := bufio.NewWriter(out)
	to := json.NewEncoder(w)
	send := func(m message) error {
		m.JSONRPC = "2.0"
		if err := to.Encode(m); err != nil {
			return err
		}
		if every == 0 && m.ID == nil {
			return nil
		}
		return w.Flush()
	}
	talk := func() error {
		pace := time.NewTicker(max(time.Nanosecond, time.Duration(every)*time.Millisecond))
		defer pace.Stop()
		for range lines {
			if every > 0 {
				<-pace.C
			}
			now := strconv.FormatInt(time.Now().UnixNano(), 10)
			if err := send(message{Method: "session/update", Params: said(now + "\n")}); err != nil {
				return err
			}
		}
		return nil
	}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var m message
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			return err
		}
		answer := message{ID: m.ID}
		switch m.Method {
		case "initialize":
			answer.Result = map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}
		case "session/new":
			answer.Result = map[string]any{"sessionId": session}
		case "session/prompt":
			if err := talk(); err != nil {
				return err
			}
			answer.Result = map[string]any{"stopReason": "end_turn"}
		default:
			continue
		}
		if err := send(answer); err != nil {
			return err
		}
	}
	return s.Err()
}
