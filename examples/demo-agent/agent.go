package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// agent serves one client: it knows the sessions and which of them has a turn.
type agent struct {
	conn   *conn
	stderr io.Writer
	opts   options

	authenticated atomic.Bool
	staysAtEOF    atomic.Bool
	turns         sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
}

func newAgent(conn *conn, stderr io.Writer, opts options) *agent {
	return &agent{conn: conn, stderr: stderr, opts: opts, sessions: map[string]*session{}}
}

// handle serves one request or notification. Only a turn takes time; it gets a
// goroutine, so that session/cancel and answers to our own requests are read.
// It begins here, in order: the very next message may be its cancel.
func (a *agent) handle(ctx context.Context, in incoming) {
	if in.Method != "session/prompt" {
		result, err := a.dispatch(in)
		a.answer(in, result, err)
		return
	}
	work, err := a.prompt(ctx, in.Params)
	if err != nil {
		a.answer(in, nil, err)
		return
	}
	a.turns.Go(func() {
		result, err := work()
		a.answer(in, result, err)
	})
}

// answer replies to a request; a notification gets no answer.
func (a *agent) answer(in incoming, result any, err error) {
	if len(in.ID) == 0 {
		return
	}
	var failure *rpcError
	switch {
	case err == nil:
		a.conn.reply(in.ID, result)
	case errors.As(err, &failure):
		a.conn.fail(in.ID, failure)
	default:
		a.conn.fail(in.ID, &rpcError{codeInternal, err.Error()})
	}
}

func (a *agent) dispatch(in incoming) (any, error) {
	switch in.Method {
	case "initialize":
		return a.initialize(), nil
	case "authenticate":
		return a.authenticate(in.Params)
	case "session/new":
		return a.newSession(in.Params)
	case "session/load":
		return a.loadSession(in.Params)
	case "session/set_mode":
		return a.setMode(in.Params)
	case "session/cancel":
		return nil, a.cancel(in.Params)
	}
	return nil, &rpcError{codeNoMethod, "Method not found: " + in.Method}
}

func (a *agent) initialize() any {
	type object = map[string]any
	return object{
		"protocolVersion": 1,
		"agentCapabilities": object{
			"loadSession":        a.opts.home != "",
			"promptCapabilities": object{"image": false, "audio": false, "embeddedContext": true},
			"mcpCapabilities":    object{"http": false, "sse": false},
		},
		"agentInfo": object{"name": "sandlot-demo-agent", "title": "Sandlot demo agent", "version": "1.0.0"},
		"authMethods": []object{{
			"id": "demo", "name": "Demo", "description": "Always succeeds; there is nothing to sign in to",
		}},
	}
}

func (a *agent) authenticate(params json.RawMessage) (any, error) {
	var req struct {
		MethodID string `json:"methodId"`
	}
	if err := decode(params, &req); err != nil {
		return nil, err
	}
	if req.MethodID != "demo" {
		return nil, &rpcError{codeParams, "Unknown authentication method: " + req.MethodID}
	}
	a.authenticated.Store(true)
	return struct{}{}, nil
}

// cancel stops the session's turn, if it has one; the prompt then answers "cancelled".
func (a *agent) cancel(params json.RawMessage) error {
	s, err := a.find(params)
	if err != nil {
		return err
	}
	s.cancelTurn()
	return nil
}

// waitAtEOF returns at once unless an instruction said to outstay the client.
func (a *agent) waitAtEOF(ctx context.Context) {
	if !a.staysAtEOF.Load() {
		return
	}
	a.turns.Wait()
	// Without a timer the runtime takes a program that waits for nothing else for
	// a deadlock, and ends it.
	for timer := time.NewTicker(time.Hour); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
}

func decode(params json.RawMessage, into any) error {
	if err := json.Unmarshal(params, into); err != nil {
		return &rpcError{codeParams, "Invalid params: " + err.Error()}
	}
	return nil
}
