package main

import (
	"bytes"
	"encoding/json"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type object = map[string]any

// The ids of our requests; the CLI's own are of another form.
const (
	idInitialize = "initialize"
	idInterrupt  = "interrupt"
)

// stdin is what the CLI reads. Where it isn't fed, nothing is written.
type stdin struct {
	s        *harness.Session
	duplex   bool
	prompted bool // the prompt was written
	closed   bool
}

// hookSeconds is how long the CLI waits for the answer of a hook. People answer,
// and the host has its own clock for them.
const hookSeconds = 24 * 60 * 60

// initialize opens the control protocol. With hooked the CLI asks us about each
// tool call before it makes it.
func (in *stdin) initialize(hooked bool, schema json.RawMessage) {
	request := object{"subtype": "initialize"}
	if hooked {
		request["hooks"] = object{"PreToolUse": []any{object{
			"matcher": nil, "hookCallbackIds": []string{"tool"}, "timeout": hookSeconds,
		}}}
	}
	if !isNull(schema) {
		request["jsonSchema"] = schema
	}
	in.write(object{"type": "control_request", "request_id": idInitialize, "request": request})
}

func (in *stdin) prompt(text string) {
	in.prompted = true
	in.write(object{
		"type": "user", "parent_tool_use_id": nil, "session_id": "",
		"message": object{"role": "user", "content": []any{object{"type": "text", "text": text}}},
	})
}

func (in *stdin) interrupt() {
	in.write(object{"type": "control_request", "request_id": idInterrupt, "request": object{"subtype": "interrupt"}})
}

// reply answers a request of the CLI.
func (in *stdin) reply(id string, answer any) {
	in.write(object{"type": "control_response", "response": object{"subtype": "success", "request_id": id, "response": answer}})
}

func (in *stdin) refuse(id, why string) {
	in.write(object{"type": "control_response", "response": object{"subtype": "error", "request_id": id, "error": why}})
}

func (in *stdin) write(message object) {
	if !in.duplex || in.closed {
		return
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends with the newline that ends the message
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message); err != nil {
		panic(err) // our own values always encode, and the rest was read as JSON
	}
	in.s.Write(line.Bytes())
}

// close lets the CLI go: its turn is over. One that isn't fed ends by itself;
// the host's clock for that starts.
func (in *stdin) close() {
	if !in.closed {
		in.closed = true
		in.s.CloseInput()
	}
}
