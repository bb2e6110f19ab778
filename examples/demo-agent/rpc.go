package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// JSON-RPC error codes; the last two are the Agent Client Protocol's own.
const (
	codeParse        = -32700
	codeInvalid      = -32600
	codeNoMethod     = -32601
	codeParams       = -32602
	codeInternal     = -32603
	codeAuthRequired = -32000
	codeNotFound     = -32002
)

// message is one line in either direction: a request (method and id), a
// notification (method alone) or a response (id alone).
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// incoming is message as it is read: the payload stays raw until its method is known.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// rpcError is what a request is answered with when it can't be served.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// conn is one newline-delimited JSON-RPC connection, usable from many goroutines.
type conn struct {
	mu      sync.Mutex // one line at a time
	out     io.Writer
	next    int
	pending map[string]chan incoming
}

func newConn(out io.Writer) *conn {
	return &conn{out: out, pending: map[string]chan incoming{}}
}

// read hands requests and notifications to handle, one after the other, until
// in ends. Lines have no length limit.
func (c *conn) read(ctx context.Context, in io.Reader, handle func(context.Context, incoming)) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.dispatch(ctx, line, handle)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
	}
}

func (c *conn) dispatch(ctx context.Context, line []byte, handle func(context.Context, incoming)) {
	var in incoming
	if err := json.Unmarshal(line, &in); err != nil {
		c.fail(json.RawMessage("null"), &rpcError{codeParse, "Parse error"})
		return
	}
	switch {
	case in.Method != "":
		handle(ctx, in)
	case len(in.ID) > 0:
		c.deliver(in)
	default:
		c.fail(json.RawMessage("null"), &rpcError{codeInvalid, "Invalid request"})
	}
}

// deliver gives a response to the call that waits for it; an unasked one is dropped.
func (c *conn) deliver(in incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting, ok := c.pending[string(in.ID)]; ok {
		delete(c.pending, string(in.ID))
		waiting <- in
	}
}

// call sends a request to the client and decodes its answer into result.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan incoming, 1)
	c.mu.Lock()
	id := fmt.Sprint(c.next)
	c.next++
	c.pending[id] = answer
	c.mu.Unlock()

	c.send(message{ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return ctx.Err()
	case in := <-answer:
		if in.Error != nil {
			return fmt.Errorf("call %s: %w", method, in.Error)
		}
		if err := json.Unmarshal(in.Result, result); err != nil {
			return fmt.Errorf("decode answer to %s: %w", method, err)
		}
		return nil
	}
}

func (c *conn) notify(method string, params any) { c.send(message{Method: method, Params: params}) }

func (c *conn) reply(id json.RawMessage, result any) { c.send(message{ID: id, Result: result}) }

func (c *conn) fail(id json.RawMessage, err *rpcError) { c.send(message{ID: id, Error: err}) }

// send writes one line. A client that is gone can't be told anything, so the
// error is dropped: stdin ends too, and that ends the agent.
func (c *conn) send(m message) {
	m.JSONRPC = "2.0"
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends in a newline
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		line.Reset()
		_ = enc.Encode(message{JSONRPC: "2.0", ID: m.ID, Error: &rpcError{codeInternal, err.Error()}})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(line.Bytes())
}
