package main

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// codeNoMethod answers requests for what we don't offer.
const codeNoMethod = -32601

// message is one JSON-RPC message of the agent: a request (method and id), a
// notification (method) or an answer (id).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// connection holds the requests we sent. Their ids are counted and the agent's
// are echoed, so that the two id spaces never meet.
type connection struct {
	s       *harness.Session
	last    int
	pending map[string]func(answer)
	closed  bool // stdin has ended: nothing is written any more
}

// answer is what a request of ours got.
type answer struct {
	result json.RawMessage
	failed *rpcError // nil where it succeeded
}

// call sends a request; then is called with its answer. A closed connection
// counts the request without sending it, so that ids stay a function of lines.
func (c *connection) call(method string, params any, then func(answer)) {
	c.last++
	id := strconv.Itoa(c.last)
	c.pending[id] = then
	c.write(outgoing{ID: json.RawMessage(id), Method: method, Params: params})
}

func (c *connection) notify(method string, params any) {
	c.write(outgoing{Method: method, Params: params})
}

func (c *connection) reply(id json.RawMessage, result any) {
	c.write(outgoing{ID: id, Result: result})
}

func (c *connection) refuse(id json.RawMessage, method string) {
	c.write(outgoing{ID: id, Error: &refusal{Code: codeNoMethod, Message: "Method not found: " + method}})
}

// outgoing is a message of ours.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (c *connection) write(m outgoing) {
	if c.closed {
		return
	}
	m.Version = "2.0"
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends with the newline that ends the message
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic(err) // our own types always encode, and ids were read as JSON
	}
	c.s.Write(line.Bytes())
}

// close ends the agent's stdin, upon which it should exit.
func (c *connection) close() {
	if !c.closed {
		c.closed = true
		c.s.CloseInput()
	}
}

// settle gives an answer to the request it belongs to. Answers to nothing, or
// given twice, are dropped.
func (c *connection) settle(m message) {
	id := string(m.ID)
	if text, err := strconv.Unquote(id); err == nil {
		id = text // some agents return numbers as strings
	}
	then, ok := c.pending[id]
	if !ok {
		return
	}
	delete(c.pending, id)
	then(answer{result: m.Result, failed: parseError(m.Error)})
}

// decodeMessages reads one line: a message, or a batch of them.
func decodeMessages(line []byte) ([]message, bool) {
	if line[0] == '[' {
		var batch []message
		if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
			return nil, false
		}
		return batch, true
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, false
	}
	return []message{m}, true
}

// isNull tells of absent members and of those that are there but null.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}
